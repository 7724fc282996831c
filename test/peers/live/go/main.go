// The official Go SDK 2.x: its client and its server, in 1.0 and in 0.3.
//
// Reads calls from stdin and writes results to stdout, one JSON object a line; see ../program.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
)

type call struct {
	ID   int    `json:"id"`
	Call string `json:"call"`
	Args args   `json:"args"`
}

type args struct {
	Client  int                     `json:"client"`
	URL     string                  `json:"url"`
	Binding a2a.TransportProtocol   `json:"binding"`
	Version a2a.ProtocolVersion     `json:"version"`
	ID      string                  `json:"id"`
	Request *a2a.SendMessageRequest `json:"request"`
}

var (
	output  sync.Mutex
	lock    sync.Mutex
	clients []*a2aclient.Client
	leave   = map[int]context.CancelFunc{}
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		lock.Lock()
		if c.Call == "leave" {
			if cancel, ok := leave[c.ID]; ok {
				cancel()
			}
			lock.Unlock()
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		leave[c.ID] = cancel
		lock.Unlock()
		go run(ctx, c)
	}
}

func run(ctx context.Context, c call) {
	result, err := answer(ctx, c)
	lock.Lock()
	leave[c.ID]()
	delete(leave, c.ID)
	lock.Unlock()
	if err != nil {
		write(map[string]any{"error": map[string]string{"name": nameOf(err), "message": err.Error()}}, c.ID)
		return
	}
	write(map[string]any{"result": result}, c.ID)
}

// nameOf returns the name of the SDK's error, or "Error".
func nameOf(err error) string {
	names := map[string]error{
		"ErrTaskNotFound":         a2a.ErrTaskNotFound,
		"ErrUnsupportedOperation": a2a.ErrUnsupportedOperation,
		"ErrServerError":          a2a.ErrServerError,
	}
	for name, known := range names {
		if errors.Is(err, known) {
			return name
		}
	}
	return "Error"
}

func write(value map[string]any, id int) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	// The id comes first: program.ts recognises a line by how it begins.
	fmt.Printf("{\"id\":%d,%s\n", id, text[1:])
}

func answer(ctx context.Context, c call) (any, error) {
	switch c.Call {
	case "connect":
		return connect(ctx, c.Args)
	case "serve":
		return serve(c.Args)
	}
	lock.Lock()
	client := clients[c.Args.Client]
	lock.Unlock()
	id := a2a.TaskID(c.Args.ID)
	switch c.Call {
	case "send":
		result, err := client.SendMessage(ctx, c.Args.Request)
		if err != nil {
			return nil, err
		}
		return a2a.StreamResponse{Event: result.(a2a.Event)}, nil
	case "stream":
		return nil, events(c.ID, client.SendStreamingMessage(ctx, c.Args.Request))
	case "subscribe":
		return nil, events(c.ID, client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}))
	case "get":
		return client.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
	case "cancel":
		return client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	case "setPushConfig":
		config, err := client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: id, ID: "mine", URL: c.Args.URL})
		if err != nil {
			return nil, err
		}
		return config.URL, nil
	case "deletePushConfig":
		return nil, client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: "mine"})
	}
	return nil, fmt.Errorf("there is no call %s", c.Call)
}

func events(id int, all iter.Seq2[a2a.Event, error]) error {
	for event, err := range all {
		if err != nil {
			return err
		}
		write(map[string]any{"event": a2a.StreamResponse{Event: event}}, id)
	}
	return nil
}

// connect discovers the agent by its card, and supports one binding and version only.
func connect(ctx context.Context, with args) (any, error) {
	card, err := agentcard.DefaultResolver.Resolve(ctx, with.URL)
	if err != nil {
		return nil, err
	}
	var chosen []*a2a.AgentInterface
	for _, one := range card.SupportedInterfaces {
		if one.ProtocolBinding == with.Binding && one.ProtocolVersion == with.Version {
			chosen = append(chosen, one)
		}
	}
	card.SupportedInterfaces = chosen
	client, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithJSONRPCTransport(nil),
		a2aclient.WithRESTTransport(nil),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
		a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}),
	)
	if err != nil {
		return nil, err
	}
	lock.Lock()
	defer lock.Unlock()
	clients = append(clients, client)
	return map[string]any{"client": len(clients) - 1, "agentName": card.Name}, nil
}

// scripted does what ../foreign-server.ts expects, by the text of the message.
type scripted struct{}

func (scripted) Execute(ctx context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := exec.Message.Parts[0].Text()
		say := func(words string) *a2a.Message {
			return a2a.NewMessageForTask(a2a.MessageRoleAgent, exec, a2a.NewTextPart(words))
		}
		if text == "greet" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Good morning.")), nil)
			return
		}
		isAnswer := exec.StoredTask != nil
		if !isAnswer && !yield(a2a.NewSubmittedTask(exec, exec.Message), nil) {
			return
		}
		if !yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateWorking, nil), nil) {
			return
		}
		var artifacts []*a2a.TaskArtifactUpdateEvent
		switch {
		case isAnswer:
			artifacts = append(artifacts, a2a.NewArtifactEvent(exec, a2a.NewTextPart("Booked a train to "+text+".")))
		case text == "report":
			first := a2a.NewArtifactEvent(exec, a2a.NewTextPart("One, "))
			id := first.Artifact.ID
			artifacts = append(artifacts, first,
				a2a.NewArtifactUpdateEvent(exec, id, a2a.NewTextPart("two, ")),
				a2a.NewArtifactUpdateEvent(exec, id, a2a.NewTextPart("three.")))
		case text == "file":
			image := a2a.NewRawPart([]byte{0x89, 0x50, 0x4e, 0x47, 1, 2, 3})
			image.MediaType = "image/png"
			image.Filename = "image.png"
			artifacts = append(artifacts, a2a.NewArtifactEvent(exec, image))
		case text == "list":
			artifacts = append(artifacts, a2a.NewArtifactEvent(exec, a2a.NewDataPart([]int{1, 2, 3})))
		case text == "wait":
			if yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateWorking, say("Waiting…")), nil) {
				<-ctx.Done()
			}
			return
		case text == "book":
			yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateInputRequired, say("Which city?")), nil)
			return
		default:
			artifacts = append(artifacts, a2a.NewArtifactEvent(exec, a2a.NewTextPart(text)))
		}
		for _, artifact := range artifacts {
			if !yield(artifact, nil) {
				return
			}
		}
		yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateCompleted, nil), nil)
	}
}

func (scripted) Cancel(_ context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateCanceled, nil), nil)
	}
}

// serve serves the scripted agent on a free port, in one binding and version.
func serve(with args) (any, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	url := "http://" + listener.Addr().String()
	handler := a2asrv.NewHandler(scripted{},
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(&push.HTTPSenderConfig{AllowPrivateNetworks: true})))
	card := &a2a.AgentCard{
		Name:                "Scripted",
		Description:         "Does what it is told.",
		Version:             "1.0.0",
		DefaultInputModes:   []string{"text/plain"},
		DefaultOutputModes:  []string{"text/plain"},
		Capabilities:        a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		Skills:              []a2a.AgentSkill{{ID: "do", Name: "Do", Description: "Does it.", Tags: []string{"test"}}},
		SupportedInterfaces: []*a2a.AgentInterface{{URL: url, ProtocolBinding: with.Binding, ProtocolVersion: with.Version}},
	}
	mux := http.NewServeMux()
	isRPC := with.Binding == a2a.TransportProtocolJSONRPC
	switch {
	case with.Version == a2av0.Version && isRPC:
		mux.Handle("/", a2av0.NewJSONRPCHandler(handler))
	case with.Version == a2av0.Version:
		mux.Handle("/", a2av0.NewRESTHandler(handler))
	case isRPC:
		mux.Handle("/", a2asrv.NewJSONRPCHandler(handler))
	default:
		mux.Handle("/", a2asrv.NewRESTHandler(handler))
	}
	producer := a2asrv.NewStaticAgentCardHandler(card)
	if with.Version == a2av0.Version {
		producer = a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card))
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, producer)
	go func() { _ = http.Serve(listener, mux) }()
	return url, nil
}
