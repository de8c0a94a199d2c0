import { type Finding, ok } from '../cli/doctor.ts';
import type { ProxyConfiguration } from '../env/proxy.ts';
import { usesProxy } from './transport.ts';

/**
 * Reports for `doctor` which addresses are reached through the proxy.
 * @param addresses by peer name; undefined if the peer is not configured
 */
export async function proxyFindings(
  proxy: ProxyConfiguration | undefined,
  addresses: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  if (proxy === undefined) {
    return [ok('proxy', 'none (HTTPS_PROXY is not set): all addresses are reached directly')];
  }
  const proxied: string[] = [];
  const direct: string[] = [];
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined) continue;
    const list = (await usesProxy(proxy, address)) ? proxied : direct;
    list.push(`${name} (${new URL(address).host})`);
  }
  const why = proxy.noProxy === '' ? 'plain http' : `plain http, or NO_PROXY=${proxy.noProxy}`;
  const message = [
    `${proxy.name} (HTTPS_PROXY) for ${proxied.join(', ') || 'no address'}`,
    ...(direct.length === 0 ? [] : [`directly, by ${why}: ${direct.join(', ')}`]),
  ].join('; ');
  return [ok('proxy', message)];
}
