// The certificate library needs this metadata API before it loads.
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type JsonGeneralNames,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  AuthorityKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { randomBytes, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../platform/write-file.ts';

/** The key and certificate of an HTTPS listener, and the CA file for its clients. */
export interface ServerIdentity {
  /** PEM. */
  certificate: string;
  /** PEM, PKCS #8. Kept only in memory. */
  privateKey: string;
  /** Path of the CA certificate, PEM. */
  caFile: string;
}

const DAY = 86_400_000;
const CA_DAYS = 3650;
/** Less than the maximum that clients accept (398 days). Each start creates a new certificate. */
const LEAF_DAYS = 390;
/** On startup, a CA that expires sooner than this is replaced. */
const RENEW_BEFORE_DAYS = 400;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface Authority {
  certificate: X509Certificate;
  privateKey: webcrypto.CryptoKey;
}

/**
 * Creates the certificate for localhost, 127.0.0.1, ::1 and `hostName`, signed by the folder's own CA
 * (`ca.pem`, `ca.key` readable by the owner only). The CA is replaced before it expires, the leaf
 * on each startup, so neither expires during a test run.
 * @param now the machine's time in milliseconds, not the sandbox clock: clients use their own
 * clock.
 */
export async function serverIdentity(
  dataDir: string,
  hostName?: string,
  now = Date.now(),
): Promise<ServerIdentity> {
  mkdirSync(dataDir, { recursive: true });
  const authority = (await readAuthority(dataDir, now)) ?? (await createAuthority(dataDir, now));
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names: JsonGeneralNames = [
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
  ];
  if (hostName !== undefined) names.push({ type: 'dns', value: hostName });
  const leaf = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=localhost, O=Financing Sandbox',
    issuer: authority.certificate.subject,
    notBefore: new Date(now - DAY),
    notAfter: new Date(now + LEAF_DAYS * DAY),
    publicKey: keys.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  return {
    certificate: leaf.toString('pem'),
    privateKey: await exportKey(keys.privateKey),
    caFile: join(dataDir, 'ca.pem'),
  };
}

/** Reads the CA; undefined when it is missing, unreadable, or expires soon. */
async function readAuthority(dataDir: string, now: number): Promise<Authority | undefined> {
  const files = authorityFiles(dataDir);
  if (!existsSync(files.certificate) || !existsSync(files.privateKey)) return undefined;
  try {
    const certificate = new X509Certificate(readFileSync(files.certificate, 'utf8'));
    const validUntil = certificate.notAfter.getTime();
    if (validUntil < now + RENEW_BEFORE_DAYS * DAY || certificate.notBefore.getTime() > now) {
      return undefined;
    }
    const der = PemConverter.decodeFirst(readFileSync(files.privateKey, 'utf8'));
    const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
    return { certificate, privateKey };
  } catch {
    // A half-written pair is useless: a new one replaces it.
    return undefined;
  }
}

async function createAuthority(dataDir: string, now: number): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=Financing Sandbox local CA',
    notBefore: new Date(now - DAY),
    notAfter: new Date(now + CA_DAYS * DAY),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const files = authorityFiles(dataDir);
  writeFileAtomically(files.privateKey, await exportKey(keys.privateKey), 0o600);
  writeFileAtomically(files.certificate, certificate.toString('pem') + '\n', 0o644);
  return { certificate, privateKey: keys.privateKey };
}

function authorityFiles(dataDir: string) {
  return { certificate: join(dataDir, 'ca.pem'), privateKey: join(dataDir, 'ca.key') };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY') + '\n';
}

/** Returns a serial number per RFC 5280 4.1.2.2: positive, at most 20 octets, unpredictable. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}
