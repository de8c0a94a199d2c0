import {
  type ExceptionCode,
  exceptionCodes,
  usualCaseDays,
} from '@financing-checkout/contract/reconciliation';
import {
  currencySchema,
  inWords,
  recordedCurrencySchema,
} from '@financing-checkout/contract/storefront';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { Policy } from '@financing-checkout/reconciliation-rules';
import { z } from 'zod';
import { type PeriodCalendar, periodsSchema } from './book-periods.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { repeatedKeys } from '../platform/repeated-keys.ts';

/**
 * Settings by which an order is judged. Each pass adds the time, the completeness of the data and the
 * start of the ledger.
 */
export type JudgingPolicy = Omit<Policy, 'now' | 'complete' | 'ledgerStarts'>;

/** When to alert the merchant about a case. Amounts are in minor units of the case's currency. */
export interface AlertPolicy {
  /**
   * Amount from which a case is reported immediately, by currency; `default` for all others.
   * Undefined: never.
   */
  amount: { default: number | undefined; currencies: Readonly<Record<string, number>> };
  /** Days after which any open case is reported. Undefined: never. */
  days: number | undefined;
}

/** How long lenders hold an authorized amount, in days from the authorization. */
export interface HoldPolicy {
  days: number;
  /** By canonical lender name. */
  lenders: Readonly<Record<string, number>>;
}

/** The merchant's reconciliation rules: RECONCILIATION_POLICY_FILE. */
export interface ReconciliationPolicy extends JudgingPolicy {
  /** Currency of a funding whose order is unknown; undefined: the companion's default. */
  defaultCurrency: string | undefined;
  alerts: AlertPolicy;
  holds: HoldPolicy;
  /** Days until a case of each code is due. */
  caseDays: Readonly<Record<ExceptionCode, number>>;
  /** The calendar of accounting periods. */
  periods: PeriodCalendar;
}

/** The parts of the policy that queries need. */
export type QueryPolicy = JudgingPolicy & Pick<ReconciliationPolicy, 'caseDays'>;

/** The policy is unusable. The message names each field and never its value. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

const name = z.string().trim().min(1).max(256);
const minorUnits = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const days = z.int().min(0).max(3_650);
/** 100 % is 10,000 basis points; 2.875 % is 287.5. */
const basisPoints = z
  .number()
  .min(0)
  .max(10_000)
  .refine((points) => Math.round(points * 100) / 100 === points, {
    error: 'must have two decimals at most',
  });

/** Much larger than real discounts, and small enough for exact arithmetic in millionths. */
const MAX_FIXED = 1_000_000_000;
const contractSchema = (calendar: Calendar) =>
  z.strictObject({
    lender: name,
    productType: name.optional(),
    promoCode: name.optional(),
    basisPoints,
    perSettle: z.record(recordedCurrencySchema, minorUnits.max(MAX_FIXED)).optional(),
    from: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], {
        error:
          'must be a date such as 2026-07-01 (in RECONCILIATION_ZONE), or a time with an offset',
      })
      .transform((text) => calendar.read(text) ?? Date.parse(text))
      .optional(),
    returnedOnRefund: z.boolean(),
  });

/**
 * Each lender has its own hold period. Without an entry, it is better to announce a hold's end too
 * early than too late.
 */
const DEFAULT_HOLD_DAYS = 14;

const policySchema = (calendar: Calendar) =>
  z
    .strictObject({
      defaultCurrency: currencySchema.optional(),
      tolerance: z
        .strictObject({ minorUnits: minorUnits.default(0), basisPoints: basisPoints.default(0) })
        .prefault({}),
      slaDays: z
        .strictObject({
          default: days.default(5),
          lenders: z.record(name, days).default({}),
          businessDays: z.boolean().optional(),
          holidays: z
            .array(
              z.iso
                .date({ error: 'must be a day, such as 2026-12-25' })
                .transform((text) => Date.parse(text)),
            )
            .max(1_000)
            .optional(),
        })
        .refine(({ businessDays, holidays }) => holidays === undefined || businessDays === true, {
          path: ['holidays'],
          error: 'only apply to business days: set "businessDays" to true',
        })
        .prefault({}),
      aliases: z.record(name, name).default({}),
      contracts: z.array(contractSchema(calendar)).max(10_000).default([]),
      alerts: z
        .strictObject({
          amount: z
            .strictObject({
              default: minorUnits.optional(),
              currencies: z.record(recordedCurrencySchema, minorUnits).default({}),
            })
            .prefault({}),
          days: days.optional(),
        })
        .prefault({}),
      holds: z
        .strictObject({
          days: days.min(1).default(DEFAULT_HOLD_DAYS),
          lenders: z.record(name, days.min(1)).default({}),
        })
        .prefault({}),
      caseDays: z.partialRecord(z.enum(exceptionCodes), days).default({}),
      periods: periodsSchema.default('months'),
    })
    .superRefine(({ aliases, contracts, slaDays, holds }, context) => {
      for (const [field, { lenders }] of Object.entries({ slaDays, holds })) {
        for (const lender of Object.keys(lenders)) {
          // Lookups use the lender's canonical name, so an entry under an alias would have no effect.
          if (!Object.hasOwn(aliases, lender)) continue;
          context.addIssue({
            code: 'custom',
            path: [field, 'lenders', lender],
            message: 'is an alias of a lender: use the lender’s own name',
          });
        }
      }
      const aliased = Object.entries(aliases);
      aliased.forEach(([, lender], index) => {
        // A chain of aliases would be ambiguous.
        if (!Object.hasOwn(aliases, lender)) return;
        context.addIssue({
          code: 'custom',
          path: ['aliases', index],
          message: 'leads to another alias: use the lender’s own name',
        });
      });
      const seen = new Set<string>();
      contracts.forEach(({ lender, productType, promoCode, from }, index) => {
        const own = Object.hasOwn(aliases, lender) ? aliases[lender] : lender;
        const terms = JSON.stringify([own, productType, promoCode, from]);
        if (seen.has(terms)) {
          context.addIssue({
            code: 'custom',
            path: ['contracts', index],
            message: 'duplicates the lender, product, promotion and start of an earlier contract',
          });
        }
        seen.add(terms);
      });
    });

/**
 * Parses the text of a policy file.
 * @param zone IANA name of the business time zone, in which the policy's days are
 * @throws {PolicyError} with all errors at once
 */
export function parsePolicy(text: string, zone = 'UTC'): ReconciliationPolicy {
  // Some editors write a byte order mark, which RFC 8259 8.1 allows parsers to ignore.
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new PolicyError('is not JSON');
  }
  const repeated = repeatedKeys(json);
  const parsed = policySchema(new Calendar(zone)).safeParse(value, { error: inWords });
  if (parsed.success && repeated.length === 0) return toPolicy(parsed.data, zone);
  throw new PolicyError(
    [
      ...repeated.map(({ path, line }) => `${placeOf(path)} is repeated in line ${line}`),
      ...(parsed.error?.issues ?? []).map(describeIssue),
    ].join('; '),
  );
}

/** The default policy: no tolerance, five days in UTC, no contracts, no alerts. */
export const defaultPolicy: ReconciliationPolicy = parsePolicy('{}');

/**
 * Returns the SHA-256 of the settings by which orders are judged. When it changes, all orders must
 * be judged again. Excludes settings for alerts, holds and due dates.
 */
export function policyHash(policy: JudgingPolicy): string {
  const { tolerance, slaDays, aliases, contracts } = policy;
  return sha256(canonicalJson({ tolerance, slaDays, aliases, contracts }));
}

function toPolicy(
  data: z.output<ReturnType<typeof policySchema>>,
  zone: string,
): ReconciliationPolicy {
  const { defaultCurrency, alerts, holds, caseDays, periods, ...judging } = data;
  return {
    ...judging,
    slaDays: { ...judging.slaDays, zone },
    defaultCurrency,
    alerts: {
      amount: { default: alerts.amount.default, currencies: alerts.amount.currencies },
      days: alerts.days,
    },
    holds,
    caseDays: { ...usualCaseDays(), ...caseDays },
    periods,
  };
}

/**
 * Keys of `aliases` and `lenders` are the merchant's data, so the message gives only their
 * position.
 */
function placeOf(path: readonly PropertyKey[]): string {
  const known = path.map((part, index) =>
    typeof part === 'string' && (isWordOfTheMerchant(path, index) || !isFieldName(part))
      ? '…'
      : String(part),
  );
  return known.join('.') || '(the whole)';
}

function describeIssue(issue: z.core.$ZodIssue): string {
  return `${placeOf(issue.path)} ${issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message}`;
}

/** Names a misspelled field. An unknown key that resembles no field may be the merchant's data. */
function unknownFields(keys: readonly string[]): string {
  const names = keys.filter(isFieldName);
  return ['has an unknown field', names.join(', ')].filter(Boolean).join(': ');
}

function isFieldName(key: string): boolean {
  return /^[a-z][A-Za-z]{0,31}$/.test(key);
}

function isWordOfTheMerchant(path: readonly PropertyKey[], index: number): boolean {
  const parent = path[index - 1];
  return (
    parent === 'aliases' ||
    parent === 'lenders' ||
    parent === 'currencies' ||
    parent === 'perSettle'
  );
}
