import { type BackOfficeToken, SINGLE_TOKEN_NAME } from '../back-office/access.ts';
import type { PrivateKey } from '../keys/private-key.ts';
import type { CompanionEnvironment } from './variables.ts';

/**
 * Refuses secrets that equal a key of the service. Every page contains the public key, so any
 * visitor could sign orders or read the ledger; and the shop, which knows the shared secrets, would
 * have the private key.
 * @param secrets by variable name
 */
export function refuseKeysAsSecrets(
  env: CompanionEnvironment,
  secrets: Readonly<Record<string, string | undefined>>,
  keys: { publicKey: string | undefined; privateKeys: readonly PrivateKey[] },
): void {
  for (const [variable, secret] of Object.entries(secrets)) {
    if (secret === undefined) continue;
    if (secret === keys.publicKey) {
      env.problem(variable, 'is the same as the public key, which every page has');
    }
    if (keys.privateKeys.some((key) => key.equals(secret))) {
      env.problem(variable, 'is the same as a private key, which is for the service alone');
    }
  }
}

/** Refuses back-office tokens that equal a key of the service, for the same reasons. */
export function refuseKeysAsTokens(
  env: CompanionEnvironment,
  tokens: readonly BackOfficeToken[],
  keys: Parameters<typeof refuseKeysAsSecrets>[2],
): void {
  for (const { name, secret } of tokens) {
    const variable =
      name === SINGLE_TOKEN_NAME ? 'COMPANION_BACK_OFFICE_TOKEN' : 'COMPANION_BACK_OFFICE_TOKENS';
    refuseKeysAsSecrets(env, { [variable]: secret.reveal() }, keys);
  }
}
