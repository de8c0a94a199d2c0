import { receiveResult } from '../../../../orders';

export const POST = ({ request }: { request: Request }) => receiveResult(request);
