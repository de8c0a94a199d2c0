import { Secret } from '../secret/secret.ts';
import type { ConfigurationProblem, Variables } from './reader.ts';

/** The proxy for requests to https addresses. */
export interface ProxyConfiguration {
  /** The proxy's URL, with user and password if there are any. */
  url: Secret;
  /** The proxy's name in messages, without the user. */
  name: string;
  /** Hosts that bypass the proxy, as in NO_PROXY. */
  noProxy: string;
}

/**
 * Reads HTTPS_PROXY and NO_PROXY; lowercase names take precedence, as in other programs. HTTP_PROXY
 * has no effect, because only addresses in the merchant's own network may be plain http;
 * NODE_USE_ENV_PROXY affects only Node's own clients.
 */
export function readProxy(
  env: { problem(variable: string, message: ConfigurationProblem['message']): void },
  variables: Variables,
): ProxyConfiguration | undefined {
  const read = (name: string) => {
    const found = [name.toLowerCase(), name].find((one) => variables[one]?.trim());
    return found === undefined ? undefined : { name: found, value: variables[found]?.trim() ?? '' };
  };
  const proxy = read('HTTPS_PROXY');
  if (proxy === undefined) return undefined;
  const { name, value } = proxy;
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value)) {
    env.problem(
      name,
      'must be the http or https address of a proxy, such as http://10.0.0.8:8080; other kinds, such as SOCKS, are not supported. Unset it to send requests directly',
    );
    return undefined;
  }
  return {
    url: new Secret(value),
    name: new URL(value).origin,
    noProxy: read('NO_PROXY')?.value ?? '',
  };
}
