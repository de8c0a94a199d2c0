/** The operations of the service that report fundings. */
export type FundingsOperation = 'report' | 'records-v1' | 'records-v2';

export interface PageQuery {
  operation: FundingsOperation;
  /** ISO 8601, UTC. */
  from: string;
  to: string;
  offset: number;
  limit: number;
}

/** A page as the service sent it, or the reason for its absence. */
export type PageAnswer = { kind: 'page'; bytes: Uint8Array } | { kind: 'failed'; reason: string };

/**
 * Pages of fundings, forwarded by the companion byte for byte. Always includes missing
 * transactions.
 */
export interface FundingSource {
  page(query: PageQuery, signal?: AbortSignal): Promise<PageAnswer>;
}
