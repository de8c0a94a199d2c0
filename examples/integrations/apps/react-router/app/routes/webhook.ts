import { receiveResult } from '../../orders';
import type { Route } from './+types/webhook';

export function action({ request }: Route.ActionArgs) {
  return receiveResult(request);
}
