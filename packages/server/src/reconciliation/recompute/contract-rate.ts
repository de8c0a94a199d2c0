import {
  compareContracts,
  fittingContracts,
  lenderNames,
  type Policy,
  ppmOf,
} from '@financing-checkout/reconciliation';
import type { Fragment } from './scope.ts';

type Terms = Pick<Policy, 'contracts' | 'aliases'>;

/** Beyond, looking for a contract in SQL takes longer than judging the order one by one. */
const MAX_CONTRACTS = 100;

/** What was agreed on with a lender, in parts per million. */
export interface AgreedRate {
  settle: number;
  /** Given back with a refund. */
  refund: number;
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
      return [{ settle: NaN, refund: NaN, from: -Infinity }];
    }
    const value = (column: string) => values[this.columns.indexOf(column)];
    const funding = {
      lenderName: value('lender_name') ?? '',
      productType: value('product_type'),
      promoCode: value('promo_code'),
    };
    return fittingContracts(funding, this.#terms).map(
      ({ basisPoints, returnedOnRefund, from = -Infinity }) => ({
        settle: ppmOf(basisPoints),
        refund: returnedOnRefund ? ppmOf(basisPoints) : 0,
        from,
      }),
    );
  }
}

/**
 * The parts per million that were agreed for a funding `f` of an order whose only line is the settle `l`,
 * as an expression: null where no contract fits.
 * @returns undefined when there are too many to be told apart in SQL
 */
export function contractRate(terms: Terms): Fragment | undefined {
  if (terms.contracts.length === 0) return { sql: 'null', parameters: [] };
  if (terms.contracts.length > MAX_CONTRACTS) return undefined;
  const contracts = [...terms.contracts].sort(compareContracts);
  const cases = contracts.map((contract): Fragment => {
    const { productType, promoCode, from, basisPoints } = contract;
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
    return { sql: `when ${conditions.join(' and ')} then ${ppmOf(basisPoints)}`, parameters };
  });
  return {
    sql: `case ${cases.map(({ sql }) => sql).join(' ')} end`,
    parameters: cases.flatMap(({ parameters }) => parameters),
  };
}
