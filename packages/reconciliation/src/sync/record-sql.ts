import { sqlText, sqlTexts } from '../platform/temporary-files.ts';
import { documentedFields } from './personal.ts';

/** Reasons of records that cannot be held; they name a field and never repeat a value. */
export const NO_RECORD = 'it is no record';
export const NOT_KEEPABLE = 'is too long, or holds a NUL or half a character';
const NOT_POSTED = 'fundedAt is not a date, or not of the years 2000 to 2999';
/** What programs write that know no date lies before, and what they write for "never" behind. */
const [FIRST_POSTED, END_POSTED] = [Date.UTC(2000, 0, 1), Date.UTC(3000, 0, 1)];

/** A date as nearly all are written: SQL reads no others. */
const plainDate =
  '[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?Z';
const wholePlainDate = new RegExp(`^${plainDate}$`);

/** Whether SQL reads a date as it is written. */
export function isPlainDate(text: string): boolean {
  return wholePlainDate.test(text);
}

/** All that counts as a blank in a ledger that is imported: padded on one side alone, two would never meet. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

const ids = [
  'transactionId',
  'merchantTransactionId',
  'chargeId',
  'lenderReferenceId',
  'productType',
  'promoCode',
] as const;
const amounts = ['transactionAmount', 'discountAmount', 'netAmount'] as const;
const texts = ['status', 'transactionType', 'lenderName'] as const;
/** What `clean.ts` adds to a record that needs it. */
const added = ['others', 'personHash', 'problem'] as const;

const structure = JSON.stringify({
  records: [Object.fromEntries([...documentedFields, ...added].map((name) => [name, 'VARCHAR']))],
});

/** Columns of a table of staged records: none of them is about a person. */
export const stagedColumns = `
  page integer not null,            -- of the window
  ordinal integer not null,         -- place in the page
  counted boolean not null,         -- the pages before do not have it, too
  posted bigint,                    -- milliseconds since 1970; null: its day is the one that was asked for
  identity varchar not null,
  hash varchar not null,
  line varchar not null             -- the record as it is kept, as JSON
`;

/** Fields whose content alone makes a record what it is, where it has no id. */
const lasting = documentedFields.slice(0, 7);

const joined = (names: readonly string[]) =>
  `concat(${names.map((name) => `${name}, chr(0)`).join(', ')})`;
const idOf = (name: string) =>
  `case when regexp_full_match(${name}, '[!-~]([ -~]*[!-~])?') then ${name} else nullif(trim(${name}, '${blanks}'), '') end`;
const dateOf = (name: string) =>
  `case when regexp_full_match(${name}, '${plainDate}') then epoch_ms(try_cast(${name} as timestamp)) end`;
/** What a record is known by: it is found again by the lender's reference once the service has a match for it. */
const named = (kind: string, id: string) => `
    when ${id} is not null then
      case when regexp_full_match(${id} || '.' || type, '[A-Za-z0-9_.-]{1,64}\\.[A-Za-z0-9_.-]{1,64}')
        then '${kind}.' || ${id} || '.' || type else '${kind}h.' || sha256(${id} || chr(0) || type) end`;

/** A page in a file, as `page.ts` makes it. */
export interface PageFile {
  id: number;
  path: string;
  bytes: number;
  /** Records that the pages before have, too. */
  common: number;
}

/** Writes the statement that takes pages into a table of {@link stagedColumns}. */
export function stagePages(table: string, pages: readonly PageFile[]): string {
  const largest = Math.max(...pages.map(({ bytes }) => bytes)) + 1_024;
  const places = pages.map(({ id, path, common }) => `(${sqlText(path)}, ${id}, ${common})`);
  return `
insert into ${table}
with places(filename, page, common) as (values ${places.join(', ')}
), lists as (
  select page, common, json_transform(json, '${structure}').records as list
  from read_json_objects(${sqlTexts(pages.map(({ path }) => path))},
    format = 'unstructured', maximum_object_size = ${largest}, filename = true) join places using (filename)
), records as (
  select page, common, unnest(list) as r, generate_subscripts(list, 1) - 1 as ordinal from lists
), fields as (
  select page, common, ordinal, unnest(r) from records
), read as (
  select page, common, ordinal, ${[...texts, ...amounts].join(', ')},
    ${[...ids, 'merchantOrderId'].map((name) => `${idOf(name)} as ${name}`).join(', ')},
    ${dateOf('fundedAt')} as funded, ${dateOf('updatedAt')} as updated, ${dateOf('transactionDate')} as dated,
    fundedAt, updatedAt, transactionDate, personHash, problem, coalesce(transactionType, '') as type,
    ${joined([...documentedFields, ...added])} as content,
    ${joined(lasting)} as lasting
  from fields
), known as (
  select *, sha256(content) as hash,
    case when funded >= ${FIRST_POSTED} and funded < ${END_POSTED} then funded end as posted,
    case ${named('r', 'lenderReferenceId')} ${named('t', 'transactionId')} ${named('m', 'merchantTransactionId')}
      else 'c.' || sha256(lasting) end as identity
  from read
)
select page, ordinal, ordinal >= common, posted, identity, hash,
  to_json(struct_pack(
    identity := identity, hash := hash, merchantOrderId := merchantOrderId,
    ${[...texts, ...amounts].map((name) => `${name} := ${name}`).join(', ')},
    fundedAt := posted, updatedAt := updated, transactionDate := dated,
    ${ids.map((name) => `${name} := ${name}`).join(', ')},
    personHash := personHash,
    problem := case
      when problem = '${NO_RECORD}' then problem
      when posted is null then '${NOT_POSTED}'
      when problem is not null then problem
      ${texts.map((name) => `when ${name} is null then '${name} is missing'`).join(' ')}
      when updated is null then case when updatedAt is null then 'updatedAt is missing' else 'updatedAt is not a date' end
      when dated is null and transactionDate is not null then 'transactionDate is not a date'
    end
  ))::varchar
from known`;
}
