/** The service operations that report fundings. */
export type FundingsOperation = 'report' | 'records-v1' | 'records-v2';

export interface PageQuery {
  operation: FundingsOperation;
  /** ISO 8601, UTC. */
  from: string;
  to: string;
  offset: number;
  limit: number;
  /** SHA-256, in hexadecimal, of the page that the caller already has. */
  known?: string | undefined;
}

/**
 * A page as sent by the service; `same` if it is the known page; `refused` if the service or the
 * companion does not accept pages of this size; or why it failed.
 */
export type PageAnswer =
  | { kind: 'page'; bytes: Uint8Array }
  | { kind: 'same' }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/**
 * Source of funding pages, which the companion forwards byte for byte. Always includes missing
 * transactions.
 */
export interface FundingSource {
  page(query: PageQuery, signal?: AbortSignal): Promise<PageAnswer>;
}
