import { showStatus } from '../../../orders';

export default defineEventHandler((event) => showStatus(getRouterParam(event, 'id') ?? ''));
