import type { PrivateKey } from '../keys/private-key.ts';
import type { EnvironmentReader } from './reader.ts';

/**
 * Refuses secrets that are a key of the service: the public key is in every page, so whoever has it
 * could sign orders or read the books; and whoever shares a secret would have the private key.
 * @param secrets by variable
 */
export function refuseKeysAsSecrets(
  env: EnvironmentReader,
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
