import { isLoopback } from '@financing-checkout/kit';

/**
 * Returns whether an address can receive webhooks: https, or http on this machine. A user in it is
 * refused, because the companion would not send it: messages are authenticated by their signature.
 */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const placeholders = new Set(['sessionToken', 'publicKey', 'origin', 'returnUrl', 'locale']);

/**
 * Returns whether a text is an address template of the hosted page, with the session and without
 * unknown placeholders.
 * @param plain whether http to other machines is permitted; anyone on the path could read the session
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

/** Returns whether a text is a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match?.[1] === undefined || match[1].length % 4 !== 0) return false;
  const bytes = atob(match[1]).length;
  return bytes >= 24 && bytes <= 64;
}
