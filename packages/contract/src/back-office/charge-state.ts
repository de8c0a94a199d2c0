import { z } from 'zod';

/**
 * The states of a charge, spelled the same in webhooks and the back office. The service answers a
 * POST with `PartiallySettled` and a GET with `PARTIALLY_SETTLED` (reference: Charge API).
 *
 * - `Created`: not authorized yet; deprecated by the service.
 * - `Authorized`: nothing is settled.
 * - `PartiallySettled`, `Settled`: a part, or everything, is settled; nothing is refunded.
 * - `PartiallyRefunded`: a part is refunded.
 * - `PartiallySettledPartiallyRefunded`: a part is settled, and some of that part refunded.
 * - `SettledPartiallyRefunded`: everything is settled, and a part of it refunded.
 * - `PartiallySettledRefunded`: a part is settled, and all of that part refunded.
 * - `Refunded`: everything is settled and refunded.
 * - `Voided`: the authorization is canceled.
 * - `ChargedBack`: the lender took the money back.
 */
export const chargeStates = [
  'Created',
  'Authorized',
  'PartiallySettled',
  'Settled',
  'PartiallyRefunded',
  'PartiallySettledPartiallyRefunded',
  'SettledPartiallyRefunded',
  'Refunded',
  'PartiallySettledRefunded',
  'Voided',
  'ChargedBack',
] as const;
export type KnownChargeState = (typeof chargeStates)[number];

/** One of {@link chargeStates}, or the service's own name for a new state. */
export const chargeStateSchema = z
  .string()
  .max(64)
  .describe(
    `One of ${chargeStates.join(', ')}; a state that the service adds later comes as the service writes it.`,
  );
