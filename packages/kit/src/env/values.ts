import { isBearerValue } from '../access/token.ts';
import { isIpv6, isLoopback } from '../limits/address.ts';

/** Returns whether a string is a host name or an IP address, without brackets or a port. */
export function isHost(text: string): boolean {
  return /^[\w.-]+$/.test(text) || isIpv6(text);
}

/** Returns whether a string is the base URL of an HTTP API, without user, query or fragment. */
export function isApiAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/** Returns whether requests to a URL cross a network unencrypted. */
export function isPlainOverNetwork(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/**
 * Returns whether a URL may receive webhooks: https, or http on this machine. Rejects a URL with a
 * user, which would not be sent: messages are authenticated by their signature.
 */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username + password === '' && !isPlainOverNetwork(text);
}

/**
 * Returns whether a string is a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64
 * bytes.
 */
export function isWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match?.[1] === undefined || match[1].length % 4 !== 0) return false;
  const bytes = atob(match[1]).length;
  return bytes >= 24 && bytes <= 64;
}

const MIN_TOKEN = 16;
/** Describes the requirements of {@link isToken}. */
export const TOKEN_RULE = `${MIN_TOKEN} or more visible ASCII characters without spaces`;

/** Returns whether a string can be an access token: valid in a header, and too long to guess. */
export function isToken(text: string): boolean {
  return isBearerValue(text) && text.length >= MIN_TOKEN;
}

/**
 * Returns whether a string is in quotation marks, like values in a .env file. Some .env parsers
 * keep the quotation marks, which changes a secret.
 */
export function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

/** The problem with a quoted value, and its fix. */
export const QUOTED = 'in quotation marks, which would be part of it: remove them';
