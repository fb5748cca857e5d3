package mcpgo

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// identity is what the other side said about itself: once for a connection in
// the handshake revisions, once for each request in 2026-07-28.
type identity struct {
	initialized atomic.Bool

	mu           sync.Mutex
	level        mcp.LoggingLevel
	info         *mcp.Implementation     // nil for an empty one; never written to
	capabilities *mcp.ClientCapabilities // the same
	version      string
}

// Initialize implements [server.ClientSession].
func (i *identity) Initialize() {
	i.SetLogLevel(mcp.LoggingLevelError) // as on mcp-go's own transports
	i.initialized.Store(true)
}

// Initialized implements [server.ClientSession].
func (i *identity) Initialized() bool { return i.initialized.Load() }

// SetLogLevel implements [server.SessionWithLogging].
func (i *identity) SetLogLevel(level mcp.LoggingLevel) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.level = level
}

// GetLogLevel implements [server.SessionWithLogging].
func (i *identity) GetLogLevel() mcp.LoggingLevel {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.level == "" {
		return mcp.LoggingLevelError
	}
	return i.level
}

// SetClientInfo implements [server.SessionWithClientInfo].
func (i *identity) SetClientInfo(info mcp.Implementation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.info = &info
}

// GetClientInfo implements [server.SessionWithClientInfo].
func (i *identity) GetClientInfo() mcp.Implementation {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.info == nil {
		return mcp.Implementation{}
	}
	return *i.info
}

// SetClientCapabilities implements [server.SessionWithClientInfo].
func (i *identity) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.capabilities = &capabilities
}

// GetClientCapabilities implements [server.SessionWithClientInfo].
func (i *identity) GetClientCapabilities() mcp.ClientCapabilities {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.capabilities == nil {
		return mcp.ClientCapabilities{}
	}
	return *i.capabilities
}

// said notes who sent a request, as both of the above do.
func (i *identity) said(c *client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.capabilities = c.capabilities
	if c.info != nil {
		i.info = c.info
	}
}

// SetProtocolVersion is called by mcp-go's initialize.
func (i *identity) SetProtocolVersion(version string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.version = version
}

// ProtocolVersion implements [server.SessionWithProtocolVersion].
func (i *identity) ProtocolVersion() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.version
}

// catalog is what one session has besides what the MCPServer has for all.
type catalog struct {
	mu        sync.Mutex
	tools     map[string]server.ServerTool
	resources map[string]server.ServerResource
	templates map[string]server.ServerResourceTemplate
	watched   map[string]struct{} // resources/subscribe
}

// GetSessionTools implements [server.SessionWithTools].
func (c *catalog) GetSessionTools() map[string]server.ServerTool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.tools)
}

// SetSessionTools implements [server.SessionWithTools].
func (c *catalog) SetSessionTools(tools map[string]server.ServerTool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = maps.Clone(tools)
}

// GetSessionResources implements [server.SessionWithResources].
func (c *catalog) GetSessionResources() map[string]server.ServerResource {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.resources)
}

// SetSessionResources implements [server.SessionWithResources].
func (c *catalog) SetSessionResources(resources map[string]server.ServerResource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resources = maps.Clone(resources)
}

// GetSessionResourceTemplates implements [server.SessionWithResourceTemplates].
func (c *catalog) GetSessionResourceTemplates() map[string]server.ServerResourceTemplate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.templates)
}

// SetSessionResourceTemplates implements [server.SessionWithResourceTemplates].
func (c *catalog) SetSessionResourceTemplates(templates map[string]server.ServerResourceTemplate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.templates = maps.Clone(templates)
}

// SubscribeToResource implements [server.SessionWithResourceSubscriptions].
func (c *catalog) SubscribeToResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched == nil {
		c.watched = make(map[string]struct{})
	}
	c.watched[uri] = struct{}{}
}

// UnsubscribeFromResource implements [server.SessionWithResourceSubscriptions].
func (c *catalog) UnsubscribeFromResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watched, uri)
}

// SubscribedResources implements [server.SessionWithResourceSubscriptions].
func (c *catalog) SubscribedResources() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.watched))
}

// IsSubscribedToResource implements [server.SessionWithResourceSubscriptions].
func (c *catalog) IsSubscribedToResource(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.watched[uri]
	return ok
}
