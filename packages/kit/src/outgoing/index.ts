/* Requests that a program sends: connection pools, and the proxy from HTTPS_PROXY and NO_PROXY. */
export { proxyFindings } from './findings.ts';
export {
  createNodeTransport,
  type NodeTransport,
  type NodeTransportOptions,
  type SendRequest,
  usesProxy,
} from './transport.ts';
