const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Headers that a proxy adds (RFC 7239, RFC 9110 7.6.3, and those that are in use without a standard). */
const proxyHeader = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip)$/;

/** What a request says about where it comes from: the part of Hono's request that is read. */
export interface AccessRequest {
  method: string;
  url: string;
  raw: Request;
  header(name: string): string | undefined;
}

export function hostOf(request: AccessRequest): string {
  return request.header('host') ?? new URL(request.url).host;
}

/** Returns whether a Host header names this machine: a foreign DNS name may lead to it (rebinding). */
export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host);
}

/**
 * Returns whether a request has the marks of a program. A page sends an Origin; an image, a frame or
 * a link of a page sends none, but Sec-Fetch-Site (Fetch Metadata).
 */
export function isOfProgram(request: AccessRequest): boolean {
  const site = request.header('sec-fetch-site');
  return request.header('origin') === undefined && (site === undefined || site === 'none');
}

/**
 * Returns the name of a header that a proxy has added. Then the connection comes from this machine,
 * while the client may be anywhere.
 */
export function proxyHeaderOf(request: AccessRequest): string | undefined {
  return Array.from(request.raw.headers.keys()).find((name) => proxyHeader.test(name));
}
