export const documentedFields = [
  // Fields that never change.
  'transactionType',
  'fundedAt',
  'transactionAmount',
  'discountAmount',
  'netAmount',
  'merchantOrderId',
  'chargeId',
  // Fields that may change. `lenderName` may change for the same lender, and the record has no
  // lender id.
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

/** Documented fields with personal data. */
const personalFields = ['firstName', 'lastName', 'email'];

const documented: ReadonlySet<string> = new Set(documentedFields);
const known: ReadonlySet<string> = new Set([...documentedFields, ...personalFields]);

/** Terms that lenders use for the payer. */
const payer = 'consumer|customer|person|borrower|applicant|shopper|buyer';

/** Field names that may contain personal data: the three documented ones and similar ones. */
const personal = new RegExp(
  `mail|phone|mobile|address|birth|ssn|(?:first|last|middle|full|given|family|sur|maiden|holder|contact|user|${payer})_?-?name|^(?:name|dob|${payer})$`,
  'i',
);

/** Returns whether a field is undocumented or personal, so that its record needs cleaning. */
export function isUnknownField(name: string): boolean {
  return !known.has(name);
}

/**
 * Returns a record's undocumented fields as JSON texts. Drops personal data, recognized by field
 * name at any depth.
 */
export function otherFields(record: object): string[] {
  return Object.entries(record)
    .filter(([name]) => !documented.has(name) && !personal.test(name))
    .map(([name, value]) => fieldText(name, value));
}

/** Returns a field as JSON without personal data. */
export function fieldText(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value, withoutPeople)}`;
}

function withoutPeople(name: string, value: unknown): unknown {
  return personal.test(name) ? undefined : value;
}
