import { type Finding, ok, warning } from '@financing-checkout/kit/cli';
import { describeSkew } from '@financing-checkout/kit/outbox';

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
