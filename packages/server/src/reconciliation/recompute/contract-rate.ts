import type { Policy } from '@financing-checkout/reconciliation';
import type { Fragment } from './scope.ts';

type Terms = Pick<Policy, 'contracts' | 'aliases'>;
type Contract = Policy['contracts'][number];

/** Beyond, looking for a contract in SQL takes longer than judging the order one by one. */
const MAX_CONTRACTS = 100;

/** A contract, with all names under which its lender's fundings may come. */
interface RankedContract {
  contract: Contract;
  names: ReadonlySet<string>;
}

/** The most specific first: the first one that fits holds. Of two, the one that names the promo code. */
function ranked({ contracts, aliases }: Terms): RankedContract[] {
  const rank = ({ productType, promoCode }: Contract) =>
    (promoCode === undefined ? 0 : 2) + (productType === undefined ? 0 : 1);
  // Sorting is stable: of two of one rank the first holds.
  return [...contracts]
    .sort((a, b) => rank(b) - rank(a))
    .map((contract) => ({ contract, names: namesOf(contract.lender, aliases) }));
}

/** What was agreed on with a lender, in basis points. */
export interface AgreedRate {
  settle: number;
  /** Given back with a refund. */
  refund: number;
}

/** Finds what was agreed on for a funding, as the rules do. */
export class AgreedRates {
  /** Columns of a funding that contracts go by. */
  readonly columns: readonly string[];
  readonly #contracts: readonly RankedContract[];
  readonly #between: string;
  readonly #found = new Map<string, AgreedRate | undefined>();

  /** @param between what is between the values of the columns in the text it is asked for */
  constructor(terms: Terms, between: string) {
    const { contracts } = terms;
    this.columns = [
      ...(contracts.length > 0 ? ['lender_name'] : []),
      ...(contracts.some(({ productType }) => productType !== undefined) ? ['product_type'] : []),
      ...(contracts.some(({ promoCode }) => promoCode !== undefined) ? ['promo_code'] : []),
    ];
    this.#contracts = ranked(terms);
    this.#between = between;
  }

  /** Undefined where nothing was. */
  of(text: string): AgreedRate | undefined {
    const known = this.#found.get(text);
    if (known || this.#found.has(text)) return known;
    const rate = this.#find(text.split(this.#between));
    this.#found.set(text, rate);
    return rate;
  }

  #find(values: readonly string[]): AgreedRate | undefined {
    // Nobody knows where its parts begin, and nothing agrees with what is no number.
    if (values.length !== this.columns.length) return { settle: NaN, refund: NaN };
    const value = (column: string) => values[this.columns.indexOf(column)];
    const contract = this.#contracts.find(
      ({ contract: { productType, promoCode }, names }) =>
        names.has(value('lender_name') ?? '') &&
        (productType === undefined || productType === value('product_type')) &&
        (promoCode === undefined || promoCode === value('promo_code')),
    )?.contract;
    if (!contract) return undefined;
    const { basisPoints, returnedOnRefund } = contract;
    return { settle: basisPoints, refund: returnedOnRefund ? basisPoints : 0 };
  }
}

/**
 * The basis points that were agreed for a settle of a funding `f`, as an expression: null where no
 * contract fits.
 * @returns undefined when there are too many to be told apart in SQL
 */
export function contractRate(terms: Terms): Fragment | undefined {
  if (terms.contracts.length === 0) return { sql: 'null', parameters: [] };
  if (terms.contracts.length > MAX_CONTRACTS) return undefined;
  const cases = ranked(terms).map(({ contract, names }): Fragment => {
    const { productType, promoCode, basisPoints } = contract;
    const conditions = [`f.lender_name in (${[...names].map(() => '?').join(', ')})`];
    const parameters: Fragment['parameters'] = [...names];
    if (productType !== undefined) {
      conditions.push('f.product_type = ?');
      parameters.push(productType);
    }
    if (promoCode !== undefined) {
      conditions.push('f.promo_code = ?');
      parameters.push(promoCode);
    }
    return { sql: `when ${conditions.join(' and ')} then ${basisPoints}`, parameters };
  });
  return {
    sql: `case ${cases.map(({ sql }) => sql).join(' ')} end`,
    parameters: cases.flatMap(({ parameters }) => parameters),
  };
}

function namesOf(lender: string, aliases: Policy['aliases']): ReadonlySet<string> {
  const target = aliasOf(lender, aliases);
  const names = [lender, target, ...Object.keys(aliases)];
  return new Set(names.filter((name) => aliasOf(name, aliases) === target));
}

/** As the rules follow aliases: one that leads back to itself ends there. */
function aliasOf(name: string, aliases: Policy['aliases']): string {
  let known = name;
  for (let hops = 0; hops < 8; hops++) {
    const next = Object.hasOwn(aliases, known) ? aliases[known] : undefined;
    if (next === undefined || next === known) return known;
    known = next;
  }
  return known;
}
