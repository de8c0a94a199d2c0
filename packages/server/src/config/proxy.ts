import { Secret } from '../keys/secret.ts';
import type { EnvironmentReader } from './reader.ts';

/** The proxy that calls of the service go through. */
export interface ProxyConfiguration {
  /** Address with the user and the password, if it has any. */
  url: Secret;
  /** What messages call it: without a user. */
  name: string;
  /** Hosts that are reached without it, as NO_PROXY lists them. */
  noProxy: string;
}

/**
 * Reads HTTPS_PROXY and NO_PROXY, in lower case first as other programs do. HTTP_PROXY has no effect: the
 * service is reached over https alone. NODE_USE_ENV_PROXY is of Node's own clients, and has none either.
 */
export function readProxy(
  env: EnvironmentReader,
  variables: Readonly<Record<string, string | undefined>>,
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
      'must be the http or https address of a proxy, such as http://10.0.0.8:8080; other kinds, such as SOCKS, are not supported. Unset it to reach the service directly',
    );
    return undefined;
  }
  return {
    url: new Secret(value),
    name: new URL(value).origin,
    noProxy: read('NO_PROXY')?.value ?? '',
  };
}
