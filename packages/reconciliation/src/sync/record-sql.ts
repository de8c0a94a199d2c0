import { contentColumns, contentNames } from '../analytics/content.ts';
import { sqlText, sqlTexts } from '../platform/temporary-files.ts';
import { documentedFields } from './personal.ts';

/** Reasons for quarantine. They name a field and never contain a value. */
export const NO_RECORD = 'it is not a record';
export const NOT_KEEPABLE = 'is too long, or contains a NUL or a lone surrogate';
const NOT_POSTED = 'fundedAt is not a date between the years 2000 and 2999';
/** Bounds that exclude placeholder dates, such as zero dates and "never". */
const [FIRST_POSTED, END_POSTED] = [Date.UTC(2000, 0, 1), Date.UTC(3000, 0, 1)];

/** The usual date format. SQL receives dates in no other format. */
const plainDate = /^[1-9]\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/;
/** Placeholder for a text that is not a date. */
export const NO_DATE = '-';

/** Returns whether SQL can read a date in its original form. */
export function isPlainDate(text: string): boolean {
  return plainDate.test(text);
}

const texts = ['status', 'transactionType', 'lenderName'] as const;
/** Fields of a record as written by `page.ts`. The last two are for records in an undocumented form. */
export const pageFields = [...documentedFields, 'others', 'problem'] as const;
export type PageField = (typeof pageFields)[number];

const pageColumns = [
  `'place': 'integer'`,
  ...pageFields.map((name) => `'${name}': 'varchar'`),
].join(', ');
/** Number of bytes of a file that DuckDB reads at once. */
const BUFFER_BYTES = 2_097_152;

/** Columns of a table of staged records. None contains personal data. */
export const stagedColumns = `
  page integer not null,            -- of the window
  place integer not null,           -- in the page
  counted boolean not null,         -- the earlier pages do not have it
  ${contentNames
    .filter((name) => name !== 'ordinal')
    .map((name) => `${name} ${contentColumns[name]}`)
    .join(', ')}
`;

/** Fields that identify a record without an id. */
const lasting = documentedFields.slice(0, 7);

const joined = (names: readonly string[]) =>
  `concat(${names.map((name) => `${name}, chr(0)`).join(', ')})`;
const timeOf = (name: string) => `epoch_ms(try_cast(${name} as timestamp))`;
/** Maximum number of characters of an id or type that stay unchanged in an identity. */
const MAX_PLAIN = 64;

/** A page stored in a file written by `page.ts`. */
export interface PageFile {
  id: number;
  path: string;
  /** Maximum length of a line in bytes. */
  longest: number;
  /** Number of records that also occur on earlier pages. */
  common: number;
}

/** Returns the statement that loads pages into a table of {@link stagedColumns}. */
export function stagePages(table: string, pages: readonly PageFile[]): string {
  const longest = Math.max(...pages.map((page) => page.longest));
  const places = pages.map(({ id, path, common }) => `(${sqlText(path)}, ${id}, ${common})`);
  return `
insert into ${table} by name
with places(filename, page, common) as (values ${places.join(', ')}
), fields as (
  select * from read_csv(${sqlTexts(pages.map(({ path }) => path))}, columns = {${pageColumns}},
    header = false, auto_detect = false, parallel = false, delim = '\t', quote = '"', escape = '"',
    comment = '', nullstr = '', allow_quoted_nulls = false, new_line = '\\n', filename = true,
    max_line_size = ${longest}, buffer_size = ${Math.max(longest, BUFFER_BYTES)}, compression = 'none')
  join places using (filename)
), read as (
  select *, coalesce(transactionType, '') as type,
    coalesce(nullif(lenderReferenceId, ''), nullif(transactionId, ''), nullif(merchantTransactionId, '')) as ref,
    case when lenderReferenceId <> '' then 'r' when transactionId <> '' then 't' else 'm' end as kind,
    ${timeOf('fundedAt')} as funded, ${timeOf('updatedAt')} as updated, ${timeOf('transactionDate')} as dated,
    -- Half of the digest is enough to tell records apart, and is a number for DuckDB.
    left(sha256(${joined(pageFields)}), 32)::uuid as hash
  from fields
), known as (
  select *,
    case when funded >= ${FIRST_POSTED} and funded < ${END_POSTED} then funded end as posted,
    -- The identity of a record. The lender's reference comes first: it stays when the service finds a match.
    case when ref is null then 'c.' || sha256(${joined(lasting)})
      when strlen(ref) <= ${MAX_PLAIN} and strlen(type) <= ${MAX_PLAIN} and regexp_full_match(ref || type, '[A-Za-z0-9_.-]+')
        then kind || '.' || ref || '.' || type
      else kind || 'h.' || sha256(ref || chr(0) || type) end as identity
  from read
)
select page, place, place >= common as counted, identity, hash,
  nullif(merchantOrderId, '') as merchant_order_id, status, transactionType as transaction_type,
  lenderName as lender_name, transactionAmount as transaction_text, discountAmount as discount_text,
  netAmount as net_text, posted as funded_at, updated as updated_at, dated as transaction_date,
  nullif(transactionId, '') as transaction_id,
  nullif(merchantTransactionId, '') as merchant_transaction_id, nullif(chargeId, '') as charge_id,
  nullif(lenderReferenceId, '') as lender_reference_id, nullif(productType, '') as product_type,
  nullif(promoCode, '') as promo_code,
  case
    when problem = '${NO_RECORD}' then problem
    when posted is null then '${NOT_POSTED}'
    when problem is not null then problem
    ${texts.map((name) => `when ${name} is null then '${name} is missing'`).join(' ')}
    when updated is null then case when updatedAt is null then 'updatedAt is missing' else 'updatedAt is not a date' end
    when dated is null and transactionDate is not null then 'transactionDate is not a date'
  end as record_problem
from known`;
}
