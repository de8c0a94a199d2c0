import {
  fittingContracts,
  fixedOf,
  lenderOf,
  type Policy,
  ppmOf,
} from '@financing-checkout/reconciliation-rules';

type Terms = Pick<Policy, 'contracts' | 'aliases'>;

/** What contracts are found by, as the lines of the ledger and the report have it. */
export interface TermsKey {
  currency: string;
  lenderName: string;
  /** Null where no contract names this one, or the funding has none. */
  productType: string | null;
  promoCode: string | null;
}

/** What holds for fundings of a key, of orders settled in a span of time. */
export interface TermsRow extends TermsKey {
  /** The lender under its own name. */
  lender: string;
  /** Milliseconds since 1970; null: no bound. */
  from: number | null;
  until: number | null;
  /** Undefined: no contract holds. */
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

/** Words that contracts tell products and promotions by: all others are as good as none. */
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
 * Lists what was agreed for each key, by the moment an order was first settled, as `contractOf` of the
 * rules finds it: of the contracts that had begun the one to be preferred.
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
