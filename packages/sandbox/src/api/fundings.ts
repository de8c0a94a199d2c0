import type { Vocabulary } from '../fundings/verdict.ts';
import type { Service } from '../service.ts';
import type { ApiContext } from './context.ts';
import { operation, type Operation } from './operation.ts';
import { booleanParameter, dateParameter, integerParameter } from './parameters.ts';

/** Documented default of `limit`, which has no maximum. */
const DEFAULT_LIMIT = 1000;

/** The report and the records operations (specification 4). Source: Funding API. */
export function fundingOperations({ settlement, fundings }: Service): Operation[] {
  const page = (vocabulary: Vocabulary) => (c: ApiContext) => {
    const offset = integerParameter(c, 'offset', 0, 0);
    const limit = integerParameter(c, 'limit', 1, DEFAULT_LIMIT);
    const filter = {
      environment: c.get('environment'),
      from: dateParameter(c, 'fromDate', 'lower'),
      to: dateParameter(c, 'toDate', 'upper'),
      showMissing: booleanParameter(c, 'showMissing'),
    };
    // Transactions may have become due since the last call, so they are posted first.
    settlement.run();
    const json = fundings.pageJson(filter, offset, limit, vocabulary);
    return c.body(json, 200, { 'Content-Type': 'application/json' });
  };
  return [
    operation('fundings.report', 'GET /v2/post-sale/fundings/report', page('report')),
    operation('fundings.records-v1', 'GET /v1/post-sale/fundings/records', page('records')),
    operation('fundings.records-v2', 'GET /v2/post-sale/fundings/records', page('records')),
  ];
}
