import type { Transport } from '@financing-checkout/kit';
import { type Finding, ok, warning } from '@financing-checkout/kit/cli';
import { clockSkewMs, describeSkew } from '@financing-checkout/kit/outbox';

const DEADLINE_MS = 5_000;

/**
 * Compares this machine's clock with another one.
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

/** Reads the clock of the receiver of webhooks. HEAD has no effect (RFC 9110 9.2.1). */
export async function receiverClock(address: string, transport: Transport): Promise<Finding[]> {
  const sentAt = Date.now();
  try {
    const response = await transport(address, {
      method: 'HEAD',
      headers: {},
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: 'manual',
    });
    return clockFindings('the webhook receiver’s', clockSkewMs(response, sentAt, Date.now()));
  } catch {
    // The finding of the connection says why.
    return [];
  }
}
