import { html } from 'lit';
import { addressOf, type ApiRequest } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';

/** Display names of the export formats. */
const names = { csv: 'CSV', xlsx: 'Excel', ndjson: 'NDJSON', parquet: 'Parquet' } as const;
type Format = keyof typeof names;

/** Export formats of tables that programs also read. */
export const allFormats: readonly Format[] = ['csv', 'xlsx', 'ndjson', 'parquet'];

/**
 * Returns the address of an export. A `zone` in the query, even if undefined, replaces the page's
 * zone.
 * @param path API path; default `/exports/{table}`
 */
export function exportAddress(
  table: string,
  format: Format,
  query: ApiRequest['query'] = {},
  path?: string,
): string {
  const { csvDecimal, zone: own } = formats();
  const zone = 'zone' in query ? query.zone : own;
  const forSheet = format === 'csv' ? { bom: true, decimal: csvDecimal } : {};
  const times = format === 'csv' && path !== '/walk' ? { times: 'spreadsheet' } : {};
  return addressOf(path ?? `/exports/${table}`, { ...query, format, ...forSheet, ...times, zone });
}

interface Shown {
  /** What the files contain, if several exports are side by side. */
  label?: string;
  formats?: readonly Format[];
  /** The export's API path. @default `/exports/{table}` */
  path?: string;
}

/**
 * Shows links to a table's export, `GET /exports/{table}`, with its list's filters. CSV is written
 * for spreadsheets: the decimal separator of the user's language, a byte order mark, times that
 * spreadsheets parse as dates. Times are in the business time zone, as on the page.
 */
export function exportLinks(table: string, query: ApiRequest['query'] = {}, shown: Shown = {}) {
  const { label = texts().common.export, formats: wanted = ['csv', 'xlsx'], path } = shown;
  const links = wanted.map(
    (format) =>
      html`<a download href=${exportAddress(table, format, query, path)} title="${table}.${format}"
        >${names[format]}</a
      >`,
  );
  return html`<span class="row exports"><span class="quiet">${label}</span> ${links}</span>`;
}
