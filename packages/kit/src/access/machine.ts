const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Headers that a proxy adds (RFC 7239, RFC 9110 7.6.3, and non-standard ones in common use). */
const proxyHeader = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip)$/;

/** The origin of a request: the parts of Hono's request that the access checks read. */
export interface AccessRequest {
  method: string;
  url: string;
  raw: Request;
  header(name: string): string | undefined;
}

export function hostOf(request: AccessRequest): string {
  return request.header('host') ?? new URL(request.url).host;
}

/**
 * Returns whether a Host header names this machine. A foreign DNS name may also resolve to it (DNS
 * rebinding).
 */
export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host);
}

/**
 * Returns whether a request looks like one from a program rather than a browser. A page's script
 * sends Origin; an image, a frame or a link on a page sends Sec-Fetch-Site instead (Fetch
 * Metadata).
 */
export function isOfProgram(request: AccessRequest): boolean {
  const site = request.header('sec-fetch-site');
  return request.header('origin') === undefined && (site === undefined || site === 'none');
}

/**
 * Returns the name of a header that a proxy has added, if any. With such a header, the connection
 * comes from this machine, but the client may be anywhere.
 */
export function proxyHeaderOf(request: AccessRequest): string | undefined {
  return Array.from(request.raw.headers.keys()).find((name) => proxyHeader.test(name));
}
