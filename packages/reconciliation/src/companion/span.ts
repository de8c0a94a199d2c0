import { inSpan } from '../platform/tracing.ts';

/** A request to the companion. */
export interface TracedCall {
  method: string;
  /** Path with `:id` in place of an id, which a trace does not contain. */
  path: string;
  host: string;
}

/**
 * Sends a request in a span.
 * @param send reports the status of the response
 * @param failureOf returns why a result is a failure, from a fixed set of reasons
 */
export function inCompanionSpan<Result>(
  { method, path, host }: TracedCall,
  send: (onStatus: (status: number) => void) => Promise<Result>,
  failureOf: (result: Result) => string | undefined,
): Promise<Result> {
  const route = `/${path}`;
  const attributes = {
    'http.request.method': method,
    'url.template': route,
    'server.address': host,
  };
  return inSpan(
    'client',
    `${method} ${route}`,
    attributes,
    (span) => send((status) => span.setAttribute('http.response.status_code', status)),
    (result) => {
      const reason = failureOf(result);
      return { attributes: { 'financing.reason': reason }, failed: reason !== undefined };
    },
  );
}
