import {
  compareContracts,
  type DiscountContract,
  fittingContracts,
  lenderNames,
  type Policy,
  ppmOf,
  WHOLE_PPM,
} from '@financing-checkout/reconciliation-rules';
import type { Fragment } from './scope.ts';

type Terms = Pick<Policy, 'contracts' | 'aliases'>;

/** Beyond, looking for a contract in SQL takes longer than judging the order one by one. */
const MAX_CONTRACTS = 100;

/** What was agreed on with a lender, in parts per million. */
export interface AgreedRate {
  settle: number;
  /** Given back with a refund. */
  refund: number;
  contract: DiscountContract | undefined;
  /** Agreed on from this moment on. */
  from: number;
}

/** Finds what was agreed on for a funding, as the rules do. */
export class AgreedRates {
  /** Columns of a funding that contracts go by. */
  readonly columns: readonly string[];
  /** Whether it matters when an order was settled. */
  readonly isDated: boolean;
  readonly #terms: Terms;
  readonly #between: string;
  readonly #found = new Map<string, readonly AgreedRate[]>();

  /** @param between what is between the values of the columns in the text it is asked for */
  constructor(terms: Terms, between: string) {
    const { contracts } = terms;
    this.isDated = contracts.some(({ from }) => from !== undefined);
    this.columns = [
      ...(contracts.length > 0 ? ['lender_name'] : []),
      ...(contracts.some(({ productType }) => productType !== undefined) ? ['product_type'] : []),
      ...(contracts.some(({ promoCode }) => promoCode !== undefined) ? ['promo_code'] : []),
    ];
    this.#terms = terms;
    this.#between = between;
  }

  /**
   * Undefined where nothing was.
   * @param at when the order was first settled
   */
  of(text: string, at: number): AgreedRate | undefined {
    let rates = this.#found.get(text);
    if (!rates) {
      rates = this.#find(text.split(this.#between));
      this.#found.set(text, rates);
    }
    for (const rate of rates) if (rate.from <= at) return rate;
    return undefined;
  }

  #find(values: readonly string[]): AgreedRate[] {
    // Nobody knows where its parts begin, and nothing agrees with what is no number.
    if (values.length !== this.columns.length) {
      return [{ settle: NaN, refund: NaN, contract: undefined, from: -Infinity }];
    }
    const value = (column: string) => values[this.columns.indexOf(column)];
    const funding = {
      lenderName: value('lender_name') ?? '',
      productType: value('product_type'),
      promoCode: value('promo_code'),
    };
    return fittingContracts(funding, this.#terms).map((contract) => {
      const { basisPoints, returnedOnRefund, from = -Infinity } = contract;
      const settle = ppmOf(basisPoints);
      return { settle, refund: returnedOnRefund ? settle : 0, contract, from };
    });
  }
}

/** A product of an amount may be past what 64 bits hold. */
export const wide = (column: string) => `cast(${column} as numeric)`;

/**
 * What was agreed on for a funding `f` of an order whose only line is the settle `l`, in millionths of a
 * minor unit, as an expression: null where no contract fits.
 * @returns undefined when there are too many to be told apart in SQL
 */
export function agreedMillionths(terms: Terms): Fragment | undefined {
  if (terms.contracts.length === 0) return { sql: 'null', parameters: [] };
  if (terms.contracts.length > MAX_CONTRACTS) return undefined;
  const contracts = [...terms.contracts].sort(compareContracts);
  const cases = contracts.map((contract): Fragment => {
    const { productType, promoCode, from, basisPoints, perSettle = {} } = contract;
    const names = lenderNames(contract.lender, terms);
    const conditions = [`f.lender_name in (${names.map(() => '?').join(', ')})`];
    const parameters: Fragment['parameters'] = [...names];
    if (productType !== undefined) {
      conditions.push('f.product_type = ?');
      parameters.push(productType);
    }
    if (promoCode !== undefined) {
      conditions.push('f.promo_code = ?');
      parameters.push(promoCode);
    }
    if (from !== undefined) {
      conditions.push('l.occurred_at >= ?');
      parameters.push(from);
    }
    const fixed = Object.entries(perSettle).map(([currency, units]) => {
      parameters.push(currency);
      return `when f.currency = ? then ${units * WHOLE_PPM}`;
    });
    const share = `${wide('f.transaction_amount')} * ${ppmOf(basisPoints)}`;
    const agreed = fixed.length === 0 ? share : `${share} + case ${fixed.join(' ')} else 0 end`;
    return { sql: `when ${conditions.join(' and ')} then ${agreed}`, parameters };
  });
  return {
    sql: `case ${cases.map(({ sql }) => sql).join(' ')} end`,
    parameters: cases.flatMap(({ parameters }) => parameters),
  };
}
