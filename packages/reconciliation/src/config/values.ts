/** Returns whether a host is only reachable from the same machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/** Returns whether a text is a host name or an address, without brackets or a port. */
export function isHost(text: string): boolean {
  return /^[\w.-]+$/.test(text) || isIpv6(text);
}

function isIpv6(text: string): boolean {
  return /^[0-9a-f:.]{2,45}$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`);
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

/** Returns whether a text is the address of an HTTP API, without user, query or fragment. */
export function isApiAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/** Returns whether messages to an address cross a network in plain text. */
export function isPlainOverNetwork(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/**
 * Returns whether messages may be sent to an address: https, or http on the same machine. Rejects a
 * user in it, which would not be sent: messages are authenticated by signature.
 */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username + password === '' && !isPlainOverNetwork(text);
}

/** Returns whether a text is a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match?.[1] === undefined || match[1].length % 4 !== 0) return false;
  const bytes = Buffer.from(match[1], 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

const MIN_TOKEN = 16;

/** Returns whether a text can follow "Bearer" in a header and is long enough not to be guessed. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && text.length >= MIN_TOKEN;
}

export const TOKEN_RULE = `${MIN_TOKEN} or more visible ASCII characters without spaces`;

/** Returns whether this runtime knows a time zone. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a text is a size in DuckDB's syntax: `256MB`, `1.5GB`, `512MiB`. */
export function isSize(text: string): boolean {
  return sizeText.test(text);
}

const sizeText = /^(\d{1,6}(?:\.\d{1,3})?)([KMGT])(i?)B$/i;

/** Returns the bytes of a size, as DuckDB reads it: 1 kB is 1,000 bytes, 1 KiB is 1,024. */
export function bytesOf(size: string): number {
  const [, count = '', unit = '', binary] = sizeText.exec(size) ?? [];
  const base = binary === '' ? 1_000 : 1_024;
  return Math.floor(Number(count) * base ** ('KMGT'.indexOf(unit.toUpperCase()) + 1));
}
