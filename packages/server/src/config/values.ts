/**
 * Returns a web origin as browsers send it (RFC 6454 6.2): lower case, an international name in ASCII,
 * without the default port. Undefined for what is no origin: an address with a path, a user or a query.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Returns why an entry is no origin that a page can have; undefined for one that is. */
export function originProblem(text: string): string | undefined {
  if (text.includes('*')) {
    return 'holds a wildcard, which no browser sends: name each origin';
  }
  if (canonicalOrigin(text) !== undefined) return undefined;
  return 'is no origin such as https://shop.example (no path, no final slash)';
}

/** Whether a text can follow "Bearer" in a header: visible ASCII without spaces. */
export function isBearerValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Whether a host is reached from the same machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/**
 * An address that messages are sent to: https, or on the same machine http. A user in it would not
 * be sent, and each message be refused: a message proves by its signature whose it is.
 */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const placeholders = new Set(['sessionToken', 'publicKey', 'origin', 'returnUrl', 'locale']);

/**
 * An address template of the hosted page: it must name the session, and hold nothing unknown.
 * @param plain whether http is taken from other machines, too: anybody between could read the session
 */
export function isHostedTemplate(text: string, plain: boolean): boolean {
  const names = Array.from(text.matchAll(/\{(\w*)\}/g), (match) => match[1] ?? '');
  const filled = text.replace(/\{\w*\}/g, 'x');
  return (
    names.includes('sessionToken') &&
    names.every((name) => placeholders.has(name)) &&
    !/[{}]/.test(filled) &&
    URL.canParse(filled) &&
    isWebAddress(new URL(filled), plain)
  );
}

function isWebAddress({ protocol, hostname }: URL, plain: boolean): boolean {
  return protocol === 'https:' || (protocol === 'http:' && (plain || isLoopback(hostname)));
}

/** A Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match?.[1] === undefined || match[1].length % 4 !== 0) return false;
  const bytes = atob(match[1]).length;
  return bytes >= 24 && bytes <= 64;
}

/** An IP address, or a range of them in CIDR notation (RFC 4632 3.1, RFC 4291 2.3). */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIpv4(address) ? 32 : isIpv6(address) ? 128 : undefined;
  if (bits === undefined || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

export function isIpv4(text: string): boolean {
  const parts = text.split('.');
  // Without leading zeros: some read those as octal, and Node as no address.
  return (
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

export function isIpv6(text: string): boolean {
  return /^[0-9a-f:.]{2,45}$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`);
}
