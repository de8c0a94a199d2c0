import { equalInConstantTime } from '../secret/secret.ts';

/** A bearer token. Logs and audit trails show its name as the actor. */
export interface AccessToken<Scope extends string> {
  /** Letters, digits, "-", "_" and "."; begins with a letter. */
  name: string;
  /** Scopes in addition to `read`, which every token has. */
  scopes: readonly Scope[];
  /** Prints as "[redacted]". */
  secret: { reveal(): string };
}

/** Actor of requests from this machine if no token is configured. */
export const LOOPBACK_ACTOR = 'loopback';

/**
 * Returns whether a token may have this name. The name must not be confusable with another actor:
 * neither with {@link LOOPBACK_ACTOR} nor with a reserved name of the program.
 */
export function isTokenName(name: string, reserved: readonly string[] = []): boolean {
  return /^[A-Za-z][\w.-]{0,39}$/.test(name) && name !== LOOPBACK_ACTOR && !reserved.includes(name);
}

/**
 * Returns the credential of "Authorization: Bearer …" (RFC 6750 2.1). Empty if the header has none.
 */
export function bearerOf(authorization: string): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
}

/**
 * Returns the token with the given secret. Compares with every token, so that the timing reveals
 * neither a near match nor which token matched.
 */
export function findToken<Token extends AccessToken<string>>(
  tokens: readonly Token[],
  secret: string,
): Token | undefined {
  let found: Token | undefined;
  for (const token of tokens) if (equalInConstantTime(secret, token.secret.reveal())) found = token;
  return found;
}

/** Returns whether a string can follow "Bearer" in a header: visible ASCII without spaces. */
export function isBearerValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
