import { isIpv6, isLoopback } from '../limits/address.ts';

/** Returns whether a text is a host name or an address, without brackets or a port. */
export function isHost(text: string): boolean {
  return /^[\w.-]+$/.test(text) || isIpv6(text);
}

/** Returns whether a text is the address of an HTTP API, without user, query or fragment. */
export function isApiAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/** Returns whether requests to an address cross a network in plain text. */
export function isPlainOverNetwork(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/**
 * Returns whether an address may receive webhooks: https, or http on this machine. Rejects a user in it,
 * which would not be sent: messages are authenticated by their signature.
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
  const bytes = atob(match[1]).length;
  return bytes >= 24 && bytes <= 64;
}

/** Returns whether a text can follow "Bearer" in a header: visible ASCII without spaces. */
export function isBearerValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

const MIN_TOKEN = 16;
/** What {@link isToken} requires. */
export const TOKEN_RULE = `${MIN_TOKEN} or more visible ASCII characters without spaces`;

/** Returns whether a text can be an access token: fit for a header, and too long to be guessed. */
export function isToken(text: string): boolean {
  return isBearerValue(text) && text.length >= MIN_TOKEN;
}

/**
 * Returns whether a text is in quotation marks, as values in a .env file are. Some readers of such files
 * keep the marks, which changes a secret.
 */
export function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

/** The problem with such a text, and the remedy. */
export const QUOTED = 'in quotation marks, which would be part of it: remove them';
