import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type DetailedPeerCertificate, rootCertificates, type TLSSocket } from 'node:tls';
import { connect as connectPlain } from 'node:net';
import { failureCode } from '@financing-checkout/kit';
import { failed, type Finding, ok, warning } from '@financing-checkout/kit/cli';
import { describeSkew } from '@financing-checkout/kit/outbox';

const DEADLINE_MS = 5_000;
const DAY_MS = 86_400_000;
/**
 * Certificates are usually renewed a month before they expire; this close to expiry, the renewal
 * has failed.
 */
const FEW_DAYS = 14;

/** Checks whether an https URL is reachable, and its certificate. */
export async function checkConnection(
  subject: string,
  address: string,
  options: { caFile: string | undefined; now: number },
): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return [await checkPlain(subject, host, Number(port || 80))];
  const { caFile, now } = options;
  let socket: TLSSocket | undefined;
  try {
    const ca =
      caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')];
    socket = connect({
      host,
      port: Number(port || 443),
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      // Untrusted certificates are accepted so that the error can be reported. Nothing is sent over
      // the connection.
      rejectUnauthorized: false,
      timeout: DEADLINE_MS,
      ca,
    });
    socket.on('timeout', () => socket?.destroy(new Error('no answer in time')));
    await once(socket, 'secureConnect');
    return certificateFindings(subject, socket, now);
  } catch (error) {
    return [unreachable(subject, host, error)];
  } finally {
    socket?.destroy();
  }
}

function certificateFindings(subject: string, socket: TLSSocket, now: number): Finding[] {
  if (!socket.authorized) {
    // Node sets an error code ("CERT_HAS_EXPIRED"), contrary to its types.
    const reason = String(socket.authorizationError);
    return [
      failed(
        subject,
        `the certificate is not trusted (${reason})`,
        'If the address is right, give the CA that signed it in FINANCING_CA_FILE.',
      ),
    ];
  }
  const chain = chainOf(socket.getPeerCertificate(true));
  const ends = chain.map(({ subject, valid_to }) => ({
    name: [subject.CN].flat().join(' '),
    days: Math.floor((Date.parse(valid_to) - now) / DAY_MS),
  }));
  const first = ends.reduce((left, right) => (right.days < left.days ? right : left));
  const message = `${socket.getProtocol() ?? 'TLS'}, ${chain.length} certificates, the first expires in ${first.days} days (${first.name})`;
  return [
    first.days >= FEW_DAYS
      ? ok(subject, message)
      : warning(subject, message, 'Ask the operator of that address to renew it.'),
  ];
}

function chainOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = [leaf];
  // A root certificate is its own issuer; the issuer is undefined if unknown.
  for (let issuer = issuerOf(leaf); issuer && !chain.includes(issuer); issuer = issuerOf(issuer)) {
    chain.push(issuer);
  }
  return chain;
}

function issuerOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate | undefined {
  return certificate.issuerCertificate;
}

async function checkPlain(subject: string, host: string, port: number): Promise<Finding> {
  const socket = connectPlain({ host, port, timeout: DEADLINE_MS });
  socket.on('timeout', () => socket.destroy(new Error('no answer in time')));
  try {
    await once(socket, 'connect');
    return ok(subject, `${host}:${port} can be reached`);
  } catch (error) {
    return unreachable(subject, host, error);
  } finally {
    socket.destroy();
  }
}

function unreachable(subject: string, host: string, error: unknown): Finding {
  const reason = failureCode(error) ?? (error instanceof Error ? error.message : 'unknown');
  return failed(
    subject,
    `${host} cannot be reached (${reason})`,
    'Check the address, name resolution, and what a firewall lets out.',
  );
}

/**
 * Compares this machine's clock with another clock.
 * @param skewMs how far the other clock is ahead, in milliseconds; undefined if it is unknown
 */
export function clockFindings(whose: string, skewMs: number | undefined): Finding[] {
  if (skewMs === undefined) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  if (describeSkew(skewMs) === undefined) {
    return [ok('clock', `within ${Math.max(1, seconds)} s of ${whose}`)];
  }
  return [
    warning(
      'clock',
      `${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} ${whose}`,
      'Synchronize the clocks of both machines (NTP): the expiry of tickets depends on them, and a receiver refuses webhooks that are five minutes off.',
    ),
  ];
}
