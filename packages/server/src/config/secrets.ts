import type { CompanionEnvironment } from './variables.ts';

/** Returns the private key files, which are watched for changes. */
export function privateKeyFiles(env: CompanionEnvironment): { slot: 0 | 1; path: string }[] {
  const current = env.fileOf('FINANCING_PRIVATE_API_KEY');
  const next = env.fileOf('FINANCING_PRIVATE_API_KEY_NEXT');
  return [
    ...(current === undefined ? [] : [{ slot: 0 as const, path: current }]),
    ...(next === undefined ? [] : [{ slot: 1 as const, path: next }]),
  ];
}

/**
 * Reads the path of a certificate file, and validates the file, because later errors would be less
 * specific.
 */
export function readCertificates(env: CompanionEnvironment): string | undefined {
  const name = 'FINANCING_CA_FILE';
  const file = env.file(name);
  if (file === undefined) return undefined;
  if (!/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(file.text)) {
    env.problem(name, 'points to a file without a certificate in PEM');
  }
  return file.path;
}
