import { html } from 'lit';
import { addressOf, type ApiRequest } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';

const formatNames = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' } as const;

/**
 * Shows links to the exports of a table with the filters of its page. CSV has the decimal separator
 * of the reader's language, and a byte order mark for Excel.
 */
export function exportLinks(table: 'orders' | 'cases', query: ApiRequest['query']) {
  const links = (['csv', 'ndjson', 'parquet'] as const).map((format) => {
    const writing = format === 'csv' ? { bom: true, decimal: formats().csvDecimal } : {};
    const address = addressOf(`/exports/${table}`, { ...query, format, ...writing });
    return html`<a download href=${address}>${formatNames[format]}</a>`;
  });
  return html`<span class="row exports"
    ><span class="quiet">${texts().orders.export}</span> ${links}</span
  >`;
}
