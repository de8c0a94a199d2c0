import type { FundingSource } from '../sync/source.ts';
import { STOPPED } from '../sync/window.ts';
import { type CompanionClient, CompanionError, TOO_LARGE } from './client.ts';

/** Maximum size of a page, in bytes. */
const MAX_BYTES = 16 * 1_048_576;
/** Maximum number of attempts: a sync waits about a minute for an unavailable service. */
const TRIES = 8;

/** Returns pages of fundings through the companion. */
export function createFundingSource(client: CompanionClient, tries = TRIES): FundingSource {
  return {
    async page({ operation, from, to, offset, limit, known }, signal) {
      const query = { operation, from, to, offset: String(offset), limit: String(limit) };
      try {
        const bytes = await client.getIfChanged({
          path: 'fundings/pages',
          query,
          maxBytes: MAX_BYTES,
          tries,
          signal,
          known,
        });
        return bytes === 'same' ? { kind: 'same' } : { kind: 'page', bytes };
      } catch (error) {
        if (error instanceof CompanionError) {
          const isRefused = error.reason === 'service-rejected' || error.reason === TOO_LARGE;
          return { kind: isRefused ? 'refused' : 'failed', reason: error.reason };
        }
        if (signal?.aborted === true) return { kind: 'failed', reason: STOPPED };
        throw error;
      }
    },
  };
}
