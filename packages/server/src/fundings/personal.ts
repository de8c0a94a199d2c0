/** Fields of a record that the service documents, and that name nobody. */
const harmless = new Set([
  'status',
  'fundedAt',
  'updatedAt',
  'lenderName',
  'transactionType',
  'transactionAmount',
  'discountAmount',
  'netAmount',
  'transactionDate',
  'productType',
  'promoCode',
  'transactionId',
  'merchantTransactionId',
  'merchantOrderId',
  'chargeId',
  'lenderReferenceId',
]);

/** What lenders call who pays. */
const who = 'consumer|customer|person|borrower|applicant|shopper|buyer';

/** Names of fields that may hold something about a person; the documented three, and their like. */
const personal = new RegExp(
  `mail|phone|mobile|address|birth|ssn|(?:first|last|middle|full|given|family|sur|maiden|holder|contact|user|${who})_?-?name|^(?:name|dob|${who})$`,
  'i',
);

/** What becomes of names and e-mail addresses. */
export interface PersonalData {
  /** A keyed hash of a text, so that records of one person can be told to be so. Without it, nothing is kept. */
  keyedHash?: ((text: string) => string) | undefined;
}

/** Whether a field outside the documented ones is in a record. */
export function hasOtherFields(record: Record<string, unknown>): boolean {
  for (const name in record) if (!harmless.has(name)) return true;
  return false;
}

/**
 * Takes out of a record, in place, what is about a person; fields that are not documented too, by
 * their name, at any depth.
 */
export function withoutPerson(record: Record<string, unknown>, { keyedHash }: PersonalData): void {
  let person: string[] | undefined;
  for (const name in record) {
    if (harmless.has(name)) continue;
    const value = record[name];
    if (personal.test(name)) {
      if (keyedHash && typeof value === 'string' && value !== '') {
        (person ??= []).push(`${name}=${value.trim().toLowerCase()}`);
      }
      // Left out by JSON.stringify; deleting would make each record a slow object.
      record[name] = undefined;
    } else if (typeof value === 'object' && value !== null) {
      record[name] = withoutPeople(value);
    }
  }
  if (keyedHash && person) record.personHash = keyedHash(person.sort().join('\n'));
}

function withoutPeople(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (personal.test(name) ? undefined : inner)),
  ) as unknown;
}
