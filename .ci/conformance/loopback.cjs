// Preloaded into the suite: whatever listens does so on 127.0.0.1 alone. The suite
// asks for all addresses.
'use strict';
const { Server } = require('node:net');
const bind = Server.prototype._listen2; // the last step of listen, after names were looked up
Server.prototype._listen2 = function (address, port, family, backlog, fd, flags) {
  const tcp = port >= 0 && !(fd >= 0);
  return tcp ? bind.call(this, '127.0.0.1', port, 4, backlog, fd, 0) : bind.call(this, address, port, family, backlog, fd, flags);
};
