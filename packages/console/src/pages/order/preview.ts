import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';

/** A charge's amounts, in minor units. */
interface Balance {
  settled: number;
  refunded: number;
  toSettle: number;
  toRefund: number;
}

/** Returns a charge's balance before and after an operation, in minor units. */
export function previewOf(
  kind: ChargeOperationKind,
  amount: number,
  now: Balance,
): { name: keyof Balance; now: number; after: number }[] {
  const changes: Record<ChargeOperationKind, Partial<Balance>> = {
    settle: { settled: amount, toSettle: 0 - amount, toRefund: amount },
    refund: { refunded: amount, toRefund: 0 - amount },
    void: { toSettle: 0 - amount },
  };
  const names = ['settled', 'refunded', 'toSettle', 'toRefund'] as const;
  return names.map((name) => ({
    name,
    now: now[name],
    after: now[name] + (changes[kind][name] ?? 0),
  }));
}
