import type { Environment } from '@financing-checkout/contract/storefront';
import type { CompanionConfiguration } from '../../config/config.ts';
import { PrivateKey } from '../../keys/private-key.ts';
import { createServiceClient } from '../../service/client.ts';
import { clockSkewMs } from '@financing-checkout/kit/outbox';
import type { Transport } from '@financing-checkout/kit';
import { failed, type Finding, ok } from '@financing-checkout/kit/cli';
import { clockFindings } from './connection.ts';

const DEADLINE_MS = 8_000;

type Verdict = 'accepted' | 'refused' | { unclear: string };

/** The service's verdict on a key, and its clock. */
interface Probe {
  verdict: Verdict;
  /** How far the service's clock is ahead, in milliseconds. */
  skewMs: number | undefined;
}

/** Reads one record of one day with a key. Has no side effects. */
async function probe(baseUrl: string, key: PrivateKey, transport: Transport): Promise<Probe> {
  let skewMs: number | undefined;
  const service = createServiceClient({
    baseUrl,
    keys: [key],
    deadlineMs: DEADLINE_MS,
    transport: async (url, request) => {
      const sentAt = Date.now();
      const response = await transport(url, request);
      skewMs = clockSkewMs(response, sentAt, Date.now());
      return response;
    },
  });
  const to = new Date();
  const from = new Date(to.getTime() - 86_400_000);
  const query = {
    operation: 'report',
    from: from.toISOString(),
    to: to.toISOString(),
    showMissing: false,
    offset: 0,
    limit: 1,
  } as const;
  const result = await service.fundings(query, { priority: 'report' });
  if (result.kind === 'accepted') return { verdict: 'accepted', skewMs };
  if (result.kind === 'not-sent' && result.reason === 'key-rejected') {
    return { verdict: 'refused', skewMs };
  }
  const reason =
    result.kind !== 'rejected'
      ? result.reason
      : result.status === 404
        ? 'there are no fundings under FINANCING_BASE_URL'
        : `status ${result.status}`;
  return { verdict: { unclear: reason }, skewMs };
}

/**
 * Determines the environment of the configured keys, and which half of the key pair each one is.
 * Only the service knows (specification 5.4, 5.5). A production key is sent only to the production
 * URL.
 */
export async function checkKeys(
  configuration: CompanionConfiguration,
  transport: Transport,
): Promise<Finding[]> {
  const { baseUrl, environment, nextPrivateKey, privateKey, publicKey } = configuration;
  const probes = [
    {
      name: 'FINANCING_PRIVATE_API_KEY',
      key: privateKey,
      ...(await probe(baseUrl, privateKey, transport)),
    },
  ];
  if (nextPrivateKey !== undefined) {
    const found = await probe(baseUrl, nextPrivateKey, transport);
    probes.push({ name: 'FINANCING_PRIVATE_API_KEY_NEXT', key: nextPrivateKey, ...found });
  }
  const asPrivate = PrivateKey.isPossible(publicKey)
    ? await probe(baseUrl, new PrivateKey(publicKey), transport)
    : { verdict: 'refused' as const };

  const findings: Finding[] = [];
  for (const { key, name, verdict } of probes) {
    if (verdict === 'accepted') {
      findings.push(ok('keys', `${name} is a private key of "${environment}"`));
    } else if (verdict === 'refused') {
      const home =
        environment === 'production' ? undefined : await homeOf(key, configuration, transport);
      findings.push(refused(name, environment, home, asPrivate.verdict));
    } else {
      findings.push(unclear(name, verdict.unclear));
    }
  }
  findings.push(publicKeyFinding(asPrivate.verdict, environment));
  return [...findings, ...clockFindings('the service’s', probes[0]?.skewMs)];
}

function refused(
  name: string,
  environment: Environment,
  home: Environment | undefined,
  publicAsPrivate: Verdict,
): Finding {
  const message = `the service answers 401 to ${name} in "${environment}"`;
  if (publicAsPrivate === 'accepted') {
    return failed('keys', message, 'The public and the private key are swapped: exchange them.');
  }
  if (home !== undefined) {
    return failed(
      'keys',
      `${message}: it is a private key of "${home}"`,
      `Use the key of "${environment}".`,
    );
  }
  return failed(
    'keys',
    message,
    'It was revoked, belongs to another environment, or is the public half of the pair.',
  );
}

function unclear(name: string, reason: string): Finding {
  return failed(
    'keys',
    `could not find out whether the service accepts ${name} (${reason})`,
    'Check FINANCING_BASE_URL including its path; then contact the service’s support with the time of this run.',
  );
}

function publicKeyFinding(verdict: Verdict, environment: Environment): Finding {
  if (verdict === 'accepted') {
    return failed(
      'keys',
      `FINANCING_PUBLIC_API_KEY works as a private key of "${environment}": every page has it`,
      'Rotate that key now, then set the public half of the new pair.',
    );
  }
  return verdict === 'refused'
    ? ok('keys', 'FINANCING_PUBLIC_API_KEY is not a private key')
    : unclear('FINANCING_PUBLIC_API_KEY', verdict.unclear);
}

/** Returns the other listed environment that accepts a key, if any. */
async function homeOf(
  key: PrivateKey,
  { environment, knownBaseUrls = {} }: CompanionConfiguration,
  transport: Transport,
): Promise<Environment | undefined> {
  for (const other of ['uat', 'sandbox', 'production'] as const) {
    const address = knownBaseUrls[other];
    if (address === undefined || other === environment) continue;
    if ((await probe(address, key, transport)).verdict === 'accepted') return other;
  }
  return undefined;
}
