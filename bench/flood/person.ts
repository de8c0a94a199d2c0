/** ID of the OpenID stand-in's key. */
export const KEY_ID = 'bench-key';
export const ROLE = 'finance';

const PREFIX = 'code-of-';

/** Returns the code that the provider exchanges for an ID token with the nonce. */
export const codeFor = (nonce: string) => PREFIX + nonce;

/** Returns the nonce of such a code; undefined for a made-up one. */
export const nonceOf = (code: string): string | undefined =>
  code.startsWith(PREFIX) ? code.slice(PREFIX.length) : undefined;
