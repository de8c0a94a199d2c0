import { showStatus } from '../../orders';
import type { Route } from './+types/order';

export function loader({ params }: Route.LoaderArgs) {
  return showStatus(params.id);
}
