import {
  type Account,
  accountTypes,
  type ChartRecord,
  type JournalAccount,
  journalAccounts,
} from '@financing-checkout/contract/reconciliation';
import { inWords, recordedCurrencySchema } from '@financing-checkout/contract/storefront';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { repeatedKeys } from '../platform/repeated-keys.ts';

/** The chart of accounts is unusable. The message names each field and never its value. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
}

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' });
const account = { number: text(32), name: text(200), type: z.enum(accountTypes) };

/** Balance sheet accounts are cleared by lender, so they cannot depend on the product. */
const ofProduct: readonly JournalAccount[] = [
  ...(['revenue', 'refunds', 'discount', 'chargebacks', 'reversals'] as const),
];

const ruleSchema = z
  .strictObject({
    for: z.enum(journalAccounts),
    lender: text(256).optional(),
    currency: recordedCurrencySchema.optional(),
    productType: text(64).optional(),
    number: account.number,
    name: account.name,
    type: account.type.optional(),
  })
  .refine(({ lender, currency, productType }) => lender ?? currency ?? productType, {
    error: 'needs a lender, a currency or a productType: "accounts" has the general account',
  })
  .refine((rule) => rule.productType === undefined || ofProduct.includes(rule.for), {
    path: ['productType'],
    error: `applies only to ${ofProduct.join(', ')}`,
  });

/** Fields that a plain CSV file's columns can have. */
export const columnFields = [
  ...(['entry', 'date', 'period', 'belongs-to', 'kind', 'text', 'currency', 'order'] as const),
  ...(['lender', 'account-number', 'account-name', 'debit', 'credit', 'amount', 'side'] as const),
] as const;
export type ColumnField = (typeof columnFields)[number];

const firstOfMonth = /^(0[1-9]|1[0-2])-01$/;

const chartSchema = z.strictObject({
  accounts: z
    .partialRecord(
      z.enum(journalAccounts),
      z.strictObject({ number: account.number, name: account.name, type: account.type.optional() }),
    )
    .default({}),
  /** The first rule that applies to a line selects its account. */
  rules: z.array(ruleSchema).max(10_000).default([]),
  xero: z
    .strictObject({
      /** Name of a tax rate, as in Xero's settings. */
      taxRate: text(50).default('Tax Exempt'),
      /** Base currency of the organization. */
      currency: recordedCurrencySchema.optional(),
    })
    .prefault({}),
  netsuite: z
    .strictObject({
      subsidiary: text(83).default('Parent Company'),
      /**
       * How NetSuite identifies an account; both parts if its preference "Use Account Numbers" is
       * on.
       */
      accounts: z.enum(['number-and-name', 'number', 'name']).default('number-and-name'),
    })
    .prefault({}),
  datev: z
    .strictObject({
      consultant: z.int().min(1_001).max(9_999_999).optional(),
      client: z.int().min(1).max(99_999).optional(),
      /** First day of the fiscal year, such as 01-01. */
      yearStart: z
        .string()
        .regex(firstOfMonth, { error: 'must be the first day of a month, such as 01-01' })
        .default('01-01'),
      /** Number of digits of an impersonal account. */
      accountLength: z.int().min(4).max(8).default(4),
      currency: recordedCurrencySchema.default('EUR'),
      /** Whether the batch is locked after its import (Festschreibung). */
      isLocked: z.boolean().default(false),
      /**
       * Whether to include amounts in other currencies, without the exchange rate that DATEV
       * expects.
       */
      writesOtherCurrencies: z.boolean().default(false),
    })
    .prefault({}),
  csv: z
    .strictObject({
      separator: z.enum([',', ';']).default(','),
      date: z
        .enum(['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYYMMDD'])
        .default('YYYY-MM-DD'),
      columns: z
        .array(
          z.union([
            z.strictObject({ head: text(100), field: z.enum(columnFields) }),
            z.strictObject({ head: text(100), value: z.string().max(256) }),
          ]),
        )
        .min(1)
        .max(100)
        .default(columnFields.map((field) => ({ head: field, field }))),
    })
    .prefault({}),
});
export type ChartSettings = z.output<typeof chartSchema>;

/** Default accounts that an accountant recognizes, for a merchant without a chart of accounts. */
const usual: Record<JournalAccount, Account> = {
  receivable: { number: '1210', name: 'Receivable from financing lenders', type: 'asset' },
  'in-transit': { number: '1215', name: 'Financing in transit', type: 'asset' },
  disputed: { number: '1218', name: 'Disputed with lenders', type: 'asset' },
  bank: { number: '1090', name: 'Lender payouts clearing', type: 'asset' },
  revenue: { number: '4090', name: 'Financed sales clearing', type: 'income' },
  refunds: { number: '4190', name: 'Refunds of financed sales', type: 'income' },
  discount: { number: '6510', name: 'Merchant discount', type: 'expense' },
  chargebacks: { number: '6530', name: 'Chargebacks', type: 'expense' },
  reversals: { number: '6535', name: 'Chargeback reversals', type: 'expense' },
  overpaid: { number: '2390', name: 'Overpaid by lenders', type: 'liability' },
  duplicates: { number: '2391', name: 'Paid twice by lenders', type: 'liability' },
  suspense: { number: '2399', name: 'Fundings without a ledger line', type: 'liability' },
  differences: { number: '6590', name: 'Differences accepted', type: 'expense' },
  opening: { number: '3900', name: 'Opening balance', type: 'equity' },
  rounding: { number: '6595', name: 'Rounding', type: 'expense' },
  unexplained: { number: '2398', name: 'Unexplained differences', type: 'liability' },
};

/** The posting data that determines the accounts. */
export interface Posted {
  account: JournalAccount;
  lender: string;
  currency: string;
  productType: string | undefined;
}

/** The merchant's chart of accounts, with the settings of accounting systems. */
export class Chart {
  readonly settings: ChartSettings;
  /** Text of the file. */
  readonly json: string;
  readonly hash: string;
  readonly isDefault: boolean;
  /** Each account is one object, which serves as a cache key for derived texts. */
  readonly #general: Readonly<Record<JournalAccount, Account>>;
  readonly #ofRules: readonly Account[];

  /** @param json text of the file; undefined: the default accounts @throws {ChartError} */
  constructor(json?: string) {
    const text = (json ?? '{}').replace(/^\uFEFF/, '');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new ChartError('is not JSON');
    }
    const repeated = repeatedKeys(text);
    const parsed = chartSchema.safeParse(value, { error: inWords });
    if (!parsed.success || repeated.length > 0) {
      throw new ChartError(
        [
          ...repeated.map(({ path, line }) => `${path.join('.')} is repeated in line ${line}`),
          ...(parsed.error?.issues ?? []).map(
            ({ path, message }) => `${path.join('.') || '(the whole)'} ${message}`,
          ),
        ].join('; '),
      );
    }
    this.settings = parsed.data;
    this.json = text;
    this.isDefault = json === undefined;
    this.#general = generalAccounts(parsed.data);
    this.#ofRules = parsed.data.rules.map(({ for: purpose, number, name, type }) => ({
      number,
      name,
      type: type ?? this.#general[purpose].type,
    }));
    this.hash = sha256(canonicalJson([this.#general, parsed.data]));
  }

  account({ account, lender, currency, productType }: Posted): Account {
    const index = this.settings.rules.findIndex(
      (one) =>
        one.for === account &&
        (one.lender === undefined || one.lender === lender) &&
        (one.currency === undefined || one.currency === currency) &&
        (one.productType === undefined || one.productType === productType),
    );
    return this.#ofRules[index] ?? this.#general[account];
  }

  /** Returns the chart in the API's format. */
  record(): ChartRecord {
    return {
      hash: this.hash,
      isDefault: this.isDefault,
      accounts: journalAccounts.map((name) => ({ for: name, ...this.#general[name] })),
      rules: this.settings.rules.map((rule) => ({
        ...rule,
        type: rule.type ?? this.#general[rule.for].type,
      })),
    };
  }
}

/** Returns the account for each purpose, before rules apply. */
function generalAccounts({ accounts }: ChartSettings): Record<JournalAccount, Account> {
  const general = { ...usual };
  for (const name of journalAccounts) {
    const own = accounts[name];
    if (own === undefined) continue;
    general[name] = { number: own.number, name: own.name, type: own.type ?? usual[name].type };
  }
  return general;
}
