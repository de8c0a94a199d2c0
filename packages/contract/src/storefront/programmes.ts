import { z } from 'zod';
import { paymentRoundings, periodsInYear, type PaymentPeriod } from '../money/repayment.ts';
import { currencySchema, minorUnitsSchema } from './money-schema.ts';
import { text } from './text.ts';

/** The kinds of financial products (published contract, section 1). */
export const productTypes = [
  'LineOfCredit',
  'Installments',
  'LeaseToOwn',
  'MerchantSelfFinancing',
] as const;

/**
 * Placeholders in a lender's text. `{payment}` requires `{count}` and `{total}`, and `{apr}` unless
 * the programme is a lease without a rate. `{interest}` is the total minus the amount.
 */
export const programmePlaceholders = [
  'amount',
  'payment',
  'lastPayment',
  'count',
  'apr',
  'total',
  'interest',
] as const;

/** Text that is never changed, not even trimmed. */
const verbatim = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim() !== '', 'must not be blank');

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be an ID');
/** SHA-256 in lowercase hexadecimal. */
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
const languageSchema = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as en or fr-CA')
  .max(35);

/**
 * The disclosure that must accompany a lender's text. It is shown verbatim, and the text's hash
 * covers it.
 */
const disclosureSchema = z.union([
  z.strictObject({ text: verbatim(8000) }),
  z.strictObject({
    url: z.url({ protocol: /^https$/, normalize: true }).max(2048),
    label: verbatim(256),
  }),
]);

/** A lender's text in one language, verbatim, with placeholders. */
const programmeTextSchema = z.strictObject({
  /** ID of this version of the text, assigned by the lender or the merchant. */
  id: name,
  language: languageSchema,
  text: verbatim(1000),
  disclosure: disclosureSchema.optional(),
});

/** Reports unknown placeholders, and a payment without the other values that the law requires. */
function checkPlaceholders(
  { apr, texts }: { apr?: string | undefined; texts: readonly { text: string }[] },
  report: (path: (number | string)[], message: string) => void,
): void {
  const known = programmePlaceholders.filter((name) => name !== 'apr' || apr !== undefined);
  for (const [index, { text }] of texts.entries()) {
    const path = ['texts', index, 'text'];
    const used = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, placeholder = '']) => placeholder);
    if (used.some((placeholder) => !known.some((name) => name === placeholder))) {
      report(path, `has an unknown placeholder; known are {${known.join('}, {')}}`);
    }
    const missing = (['apr', 'count', 'total'] as const).filter(
      (name) => known.includes(name) && !used.includes(name),
    );
    if (used.includes('payment') && missing.length > 0) {
      report(path, `names {payment}, so it must also name {${missing.join('}, {')}}`);
    }
  }
}

/** A percentage as a decimal, exact in millionths. */
const percentSchema = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'must be a decimal in percent, such as "9.99"');

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Programme fields in both the merchant's file and the response. Amounts are in minor units. */
const programmeFields = {
  id: name,
  lender: z.strictObject({ id: text(128).optional(), name: text(256) }),
  productType: z.enum(productTypes),
  currency: currencySchema,
  /** Minimum and maximum amount, both inclusive. */
  amount: z.strictObject({ min: minorUnitsSchema.min(1), max: minorUnitsSchema.min(1) }),
  /** Nominal annual rate in percent, as a decimal: `"9.99"`. A lease may have `leaseCost` instead. */
  apr: percentSchema.optional(),
  /** Cost of a lease in percent of the amount, as a decimal: `"45"`. */
  leaseCost: percentSchema.optional(),
  payments: z.strictObject({
    count: z.int().min(1).max(600),
    period: z.enum(Object.keys(periodsInYear) as [PaymentPeriod, ...PaymentPeriod[]]),
    rounding: z.enum(paymentRoundings),
  }),
  /** Values of the element's `category`. By default, the programme applies to all products. */
  categories: z.array(text(128)).min(1).max(200).optional(),
  /** Timestamps with an offset, both inclusive. */
  validFrom: z.iso.datetime({ offset: true }).optional(),
  validUntil: z.iso.datetime({ offset: true }).optional(),
};

/** A financing programme in the merchant's file. */
const programmeEntrySchema = z
  .strictObject({
    ...programmeFields,
    texts: z.array(programmeTextSchema).min(1).max(50),
  })
  .superRefine((programme, context) => {
    const report = (path: (number | string)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const { apr, leaseCost, productType } = programme;
    if (leaseCost === undefined) {
      if (apr === undefined) report(['apr'], 'is required; a lease may have leaseCost instead');
    } else if (apr !== undefined || productType !== 'LeaseToOwn') {
      report(['leaseCost'], 'is only for a LeaseToOwn without apr');
    }
    checkPlaceholders(programme, report);
  })
  .refine(({ amount }) => amount.min <= amount.max, {
    path: ['amount', 'max'],
    error: 'must be at least min',
  })
  .refine(({ texts }) => isUnique(texts.map(({ language }) => language)), {
    path: ['texts'],
    error: 'must have one text for each language',
  });

/** The merchant's file: `FINANCING_PROGRAMMES_FILE`. */
export const programmeFileSchema = z.strictObject({
  programmes: z
    .array(programmeEntrySchema)
    .max(500)
    .refine((all) => isUnique(all.map(({ id }) => id)), 'must have one programme for each id')
    .refine(
      (all) => isUnique(all.flatMap(({ texts }) => texts.map(({ id }) => id))),
      'must have one text for each id',
    ),
});
export type ProgrammeFile = z.infer<typeof programmeFileSchema>;

/** A financing programme in the response of `GET /programmes`, with a hash for each text. */
export const programmeSchema = z.object({
  ...programmeFields,
  texts: z.array(
    programmeTextSchema.extend({
      /** SHA-256 of the text, with its disclosure on a second line: see {@link hashedText}. */
      sha256: sha256Schema,
    }),
  ),
});
export type Programme = z.infer<typeof programmeSchema>;
export type ProgrammeText = Programme['texts'][number];

/** The response of `GET /programmes`. */
export const programmesSchema = z.object({ programmes: z.array(programmeSchema) });
export type Programmes = z.infer<typeof programmesSchema>;

/** Returns the input of a text's hash, to be encoded as UTF-8. */
export function hashedText({ text, disclosure }: z.infer<typeof programmeTextSchema>): string {
  if (disclosure === undefined) return text;
  return `${text}\n${'text' in disclosure ? disclosure.text : disclosure.url}`;
}

/** The message that a shopper saw before the checkout, as the page reports it. */
export const shownMessageSchema = z.strictObject({
  programmeId: name,
  textId: name,
  sha256: sha256Schema,
  /** The amount that the message was for, in minor units. */
  amount: minorUnitsSchema,
  currency: currencySchema,
  /** According to the clock of the shopper's device. ISO 8601, UTC. */
  shownAt: z.iso.datetime(),
});
export type ShownMessage = z.infer<typeof shownMessageSchema>;

/**
 * A shown message as the companion stores it with the checkout. The text never comes from the page:
 * the companion adds the text that it published itself under the ids and the hash.
 */
export const keptMessageSchema = z.object({
  ...shownMessageSchema.shape,
  /** Whether the companion has published this text since startup. If not, the rest is absent. */
  isPublished: z.boolean(),
  language: languageSchema.optional(),
  /** Verbatim, with its placeholders. */
  text: z.string().optional(),
  disclosure: disclosureSchema.optional(),
  /** The terms that filled the placeholders. */
  programme: programmeSchema
    .omit({ texts: true, categories: true, lender: true })
    .extend({ lenderId: z.string().optional(), lenderName: z.string() })
    .optional(),
});
export type KeptMessage = z.infer<typeof keptMessageSchema>;
