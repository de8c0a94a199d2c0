import { sqlText } from '../platform/temporary-files.ts';

/**
 * Columns of a stored content, in Parquet, named as in the table `fundings`. Times are milliseconds
 * since 1970, and amounts are texts as written by the service.
 */
export const contentColumns = {
  identity: 'VARCHAR',
  /** Numbers identical identities of a day, from 1. */
  ordinal: 'INTEGER',
  /** First 128 bits of the SHA-256 of the record's fields. */
  hash: 'UUID',
  merchant_order_id: 'VARCHAR',
  status: 'VARCHAR',
  transaction_type: 'VARCHAR',
  lender_name: 'VARCHAR',
  transaction_text: 'VARCHAR',
  discount_text: 'VARCHAR',
  net_text: 'VARCHAR',
  funded_at: 'BIGINT',
  updated_at: 'BIGINT',
  transaction_date: 'BIGINT',
  transaction_id: 'VARCHAR',
  merchant_transaction_id: 'VARCHAR',
  charge_id: 'VARCHAR',
  lender_reference_id: 'VARCHAR',
  product_type: 'VARCHAR',
  promo_code: 'VARCHAR',
  /** Reason for quarantining the record in any currency. */
  record_problem: 'VARCHAR',
} as const;

/** Names of {@link contentColumns}. */
export const contentNames = Object.keys(contentColumns) as (keyof typeof contentColumns)[];

/** SQL expression that numbers records with the same identity. */
export const ordinalOf = 'row_number() over (partition by identity order by hash)::integer';

/**
 * SQL aggregate for a content's digest, in hexadecimal. It depends only on the records, not on
 * their order or Parquet encoding. Records differ in hash or ordinal, so no two cancel out.
 */
export const contentDigest = digestOf('ordinal');

/** {@link contentDigest} of a day without records. */
export const EMPTY_DIGEST = '0'.repeat(32);

/** Returns the digest of records whose ordinal is given by an SQL expression. */
export function digestOf(ordinal: string): string {
  return digestOfTexts(`concat(hash, '.', ${ordinal})`);
}

/** Returns the SQL aggregate for the order-independent digest of distinct texts. */
export function digestOfTexts(sql: string): string {
  return `lower(lpad(hex(coalesce(bit_xor(md5_number(${sql})), 0)), 32, '0'))`;
}

/** Returns the statement that writes rows with {@link contentColumns} to a Parquet file. */
export function copyContent(rows: string, path: string): string {
  return `copy (select ${contentNames.join(', ')} from ${rows}) to ${sqlText(path)}
    (format parquet, compression zstd, use_tmp_file false)`;
}
