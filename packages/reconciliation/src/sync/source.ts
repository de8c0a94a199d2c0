/** The operations of the service that report fundings. */
export type FundingsOperation = 'report' | 'records-v1' | 'records-v2';

export interface PageQuery {
  operation: FundingsOperation;
  /** ISO 8601, UTC. */
  from: string;
  to: string;
  offset: number;
  limit: number;
  /** SHA-256 of a page that need not be transferred again, in hexadecimal. */
  known?: string | undefined;
}

/**
 * A page as sent by the service; `same`: the service has sent the known page again; `refused`: the
 * service or the companion accepts no page of this size; or the reason why there is none.
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
