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

/** Whether a record with such a field has to be looked into. */
export function isUnknownField(name: string): boolean {
  return !known.has(name);
}

/**
 * Returns the undocumented fields of a record, as JSON texts. A field about a person is left out by its
 * name, at any depth.
 */
export function otherFields(record: object): string[] {
  return Object.entries(record)
    .filter(([name]) => !documented.has(name) && !personal.test(name))
    .map(([name, value]) => fieldText(name, value));
}

/** A field as JSON, without people. */
export function fieldText(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value, withoutPeople)}`;
}

function withoutPeople(name: string, value: unknown): unknown {
  return personal.test(name) ? undefined : value;
}
