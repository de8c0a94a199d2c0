import { isLoopback } from '../platform/http/address.ts';

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
