/** Fields that the service documents, and that a record is made of. */
export const documentedFields = [
  // What lasts as long as the record does.
  'transactionType',
  'fundedAt',
  'transactionAmount',
  'discountAmount',
  'netAmount',
  'merchantOrderId',
  'chargeId',
  // What changes; `lenderName` may for the same lender, and the record has no id of it.
  'lenderName',
  'status',
  'updatedAt',
  'transactionDate',
  'productType',
  'promoCode',
  'transactionId',
  'merchantTransactionId',
  'lenderReferenceId',
] as const;

/** Documented fields about a person. */
const personalFields = ['firstName', 'lastName', 'email'];

const documented: ReadonlySet<string> = new Set(documentedFields);
const known: ReadonlySet<string> = new Set([...documentedFields, ...personalFields]);

/** Words by which lenders call the payer. */
const payer = 'consumer|customer|person|borrower|applicant|shopper|buyer';

/** Names of fields that may hold something about a person; the documented three, and their like. */
const personal = new RegExp(
  `mail|phone|mobile|address|birth|ssn|(?:first|last|middle|full|given|family|sur|maiden|holder|contact|user|${payer})_?-?name|^(?:name|dob|${payer})$`,
  'i',
);

/** Returns a keyed hash of a text, so that records of one person can be found to be so. */
export type KeyedHash = (text: string) => string;

/** Whether a record with such a field has to be looked into. */
export function isUnknownField(name: string): boolean {
  return !known.has(name);
}

/** What a record has beyond the documented fields. */
export interface OtherFields {
  /** Fields that are not documented, in an order of ours: the service may change theirs. */
  others: string[];
  personHash: string | undefined;
}

/**
 * Looks into a record of which nothing is known. What is about a person is left out by its name, at
 * any depth, or becomes one keyed hash.
 */
export function lookInto(record: object, keyedHash: KeyedHash | undefined): OtherFields {
  const others: string[] = [];
  const person: string[] = [];
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    if (documented.has(name)) continue;
    if (!personal.test(name)) others.push(fieldText(name, value));
    else if (typeof value === 'string' && value !== '') {
      person.push(`${name}=${value.trim().toLowerCase()}`);
    }
  }
  return {
    others,
    personHash: keyedHash && person.length > 0 ? keyedHash(person.sort().join('\n')) : undefined,
  };
}

/** A field as JSON, without people. */
export function fieldText(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value, withoutPeople)}`;
}

function withoutPeople(name: string, value: unknown): unknown {
  return personal.test(name) ? undefined : value;
}
