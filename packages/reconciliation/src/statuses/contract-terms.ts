import {
  fittingContracts,
  fixedOf,
  lenderOf,
  type Policy,
  ppmOf,
} from '@financing-checkout/reconciliation-rules';

type Terms = Pick<Policy, 'contracts' | 'aliases'>;

/** The fields that select a contract, as in the ledger and the report. */
export interface TermsKey {
  currency: string;
  lenderName: string;
  /** Null if no contract has this product or the funding has no product. */
  productType: string | null;
  promoCode: string | null;
}

/** The terms for a key, for orders settled within a period. */
export interface TermsRow extends TermsKey {
  /** The lender's canonical name. */
  lender: string;
  /** Milliseconds since 1970; null: open-ended. */
  from: number | null;
  until: number | null;
  /** Undefined: no contract applies. */
  contract:
    | {
        basisPoints: number;
        settlePpm: number;
        refundPpm: number;
        perSettle: number;
        from: number | null;
      }
    | undefined;
}

/** Returns the products and promo codes named in contracts. All others have no effect. */
export function namedTerms({ contracts }: Terms): { productTypes: string[]; promoCodes: string[] } {
  const words = (values: (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ];
  return {
    productTypes: words(contracts.map(({ productType }) => productType)),
    promoCodes: words(contracts.map(({ promoCode }) => promoCode)),
  };
}

/**
 * Returns each key's terms by the date of the order's first settle, like `contractOf` in the rules:
 * the most specific contract among those that had started by then.
 */
export function termsOf(keys: readonly TermsKey[], policy: Terms): TermsRow[] {
  return keys.flatMap((key) => {
    const lender = lenderOf(key.lenderName, policy);
    const fitting = fittingContracts(
      {
        lenderName: key.lenderName,
        productType: key.productType ?? undefined,
        promoCode: key.promoCode ?? undefined,
      },
      policy,
    );
    const begins = fitting.flatMap(({ from }) => from ?? []);
    const bounds = [...new Set(begins)].sort((a, b) => a - b);
    const spans = [null, ...bounds].map((from, index) => ({ from, until: bounds[index] ?? null }));
    return spans.map(({ from, until }): TermsRow => {
      const holds = fitting.find((one) => (one.from ?? -Infinity) <= (from ?? -Infinity));
      return {
        ...key,
        lender,
        from,
        until,
        contract: holds && {
          basisPoints: holds.basisPoints,
          settlePpm: ppmOf(holds.basisPoints),
          refundPpm: holds.returnedOnRefund ? ppmOf(holds.basisPoints) : 0,
          perSettle: fixedOf('settle', holds, key.currency, 1),
          from: holds.from ?? null,
        },
      };
    });
  });
}
