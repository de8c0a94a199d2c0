import type { Vocabulary } from '../fundings/verdict.ts';
import type { Service } from '../service.ts';
import type { Operation } from './operation.ts';
import { booleanParameter, dateParameter, integerParameter } from './parameters.ts';

/** Records of one page when `limit` is absent, as documented. A larger one has no maximum. */
const DEFAULT_LIMIT = 1000;
/** What `offset` and `limit` are published as: int32. */
const MAX_INTEGER = 2_147_483_647;

/** The report and the records operations (specification 4). Source: Funding API. */
export function fundingOperations(service: Service): Operation[] {
  return [
    operation(service, 'fundings.report', '/v2/post-sale/fundings/report', 'report'),
    operation(service, 'fundings.records-v1', '/v1/post-sale/fundings/records', 'records'),
    operation(service, 'fundings.records-v2', '/v2/post-sale/fundings/records', 'records'),
  ];
}

function operation(
  { settlement, fundings }: Service,
  name: string,
  path: string,
  vocabulary: Vocabulary,
): Operation {
  return {
    name,
    method: 'GET',
    path,
    answer: (c) => {
      const offset = integerParameter(c, 'offset', {
        from: 0,
        to: MAX_INTEGER,
        otherwise: 0,
      });
      const limit = integerParameter(c, 'limit', {
        from: 1,
        to: MAX_INTEGER,
        otherwise: DEFAULT_LIMIT,
      });
      const filter = {
        environment: c.get('environment'),
        from: dateParameter(c, 'fromDate', 'lower'),
        to: dateParameter(c, 'toDate', 'upper'),
        showMissing: booleanParameter(c, 'showMissing'),
      };
      // Time passes without anybody moving the clock: what is due by now is posted first.
      settlement.run();
      const page = fundings.pageJson(filter, offset, limit, vocabulary);
      return c.body(page, 200, { 'Content-Type': 'application/json' });
    },
  };
}
