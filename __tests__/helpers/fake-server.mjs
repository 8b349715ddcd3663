/** Says in `nudge.status` what it is told to be, as a process of its own; ends with its parent. */
import { createServer } from 'node:http';

const said = JSON.parse(process.argv[2] ?? '{}');
const key = process.argv[3];
const server = createServer((request, answer) => {
  if (key && request.headers['x-api-key'] !== key) {
    answer.writeHead(401, { 'content-type': 'application/json' });
    answer.end('{"error":{"code":"UNAUTHENTICATED","message":"no"}}');
    return;
  }
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...said, pid: process.pid } }));
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('message', () => server.close());
process.on('disconnect', () => process.exit(0));
